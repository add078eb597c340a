import { describe, expect, it } from 'vitest'
import { exchangeablePaths, type MountOptions, privatePaths } from '../src/isolation/mounts.ts'

const mounts = {
  workDir: '/project',
  realWorkDir: '/real',
  readOnly: [],
  startedOutside: [],
  readable: [],
  network: false,
} as unknown as MountOptions

describe.runIf(process.platform === 'linux')('mounts', () => {
  it('that a program could exchange are compared: directories, and files that others can write', () => {
    const readable = ['/usr/bin', '/etc/passwd'].map((path) => ({ path, realPath: path }))
    const paths = exchangeablePaths(
      { ...mounts, readable, readOnly: ['/project/a/venv'] },
      { writable: ['/given'] },
    )
    expect(paths).toEqual([
      { path: '/project', realPath: '/real' },
      { path: '/given' },
      { path: '/usr/bin', realPath: '/usr/bin' },
      { path: '/project/a', realPath: '/real/a' },
      { path: '/project/a/venv', realPath: '/real/a/venv' },
    ])
  })

  it('that each command has for itself are named, but for those in the working directory', () => {
    const paths = privatePaths(mounts)
    expect(paths).toEqual(expect.arrayContaining(['/tmp', '/dev', '/proc/sysvipc/shm', '/proc/sysvipc/sem']))
    const others = paths.filter((path) => path !== '/dev')
    expect(privatePaths({ ...mounts, workDir: '/dev' })).toEqual(others)
  })
})
