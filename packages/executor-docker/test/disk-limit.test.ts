import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DockerSandbox, type DockerSandboxOptions } from '@fenced/sandbox-docker'
import { describe, expect, it } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { docker, podman, podmanHost } from './requirements.ts'

const diskBytes = 16 * 2 ** 20
const options = { image: 'fenced-test/python', diskBytes } as const

describe.skipIf(docker.missing)('a limit of the disk', () => {
  it('stops a program that writes past it, in each place where it can write, and the result says so', async () => {
    await using executor = new DockerCommandLineCodeExecutor(options)
    await executor.start()
    expect(executor.capabilities.limits.disk).toBe(true)
    const code = (place: string) =>
      `with open("${place}/large", "wb") as file:\n  file.write(bytes(${diskBytes + 1}))`
    for (const place of ['/tmp', '/home/user', '/dev/shm', '.']) {
      const result = await executor.execute([{ language: 'python', code: code(place) }])
      expect(result).toMatchObject({ status: 'error', exitCode: 1 })
      expect(result.isolation.particulars).toMatchObject({ diskBytes })
      const notices = result.blocks.flatMap((block) => block.notices)
      expect(notices.find(({ code }) => code === 'disk-limit')?.data?.limit).toBe(`${diskBytes}`)
    }
    const next = () => executor.execute([{ language: 'sh', code: 'echo ok > small; cat small' }])
    await expect(next()).rejects.toMatchObject({ code: 'DISK_FULL', data: { option: 'diskBytes' } })
    await rm(join(executor.workDir, 'large'))
    expect(await next()).toMatchObject({ output: 'ok\n', files: [{ path: 'small' }] })
  })

  it.each<[string, DockerSandboxOptions]>([
    ['a mounted directory of the host', { workDirMode: 'bind' }],
    [
      'a volume that programs can write to',
      { volumes: [{ source: '/var/tmp', target: '/data', readOnly: false }] },
    ],
    ['a larger /dev/shm', { createOptions: { HostConfig: { ShmSize: 2 * diskBytes } } }],
    ['a root that programs can write to, where the storage driver has no sizes', { readOnlyRoot: false }],
  ])('is refused at the start with %s', async (_, more) => {
    await using sandbox = new DockerSandbox({ ...options, ...more })
    await expect(sandbox.start()).rejects.toMatchObject({ code: 'DISK_LIMIT_UNAVAILABLE' })
  })
})

describe.skipIf(podman.missing)('a limit of the disk on Podman', { tags: 'nightly' }, () => {
  it('is refused at the start, because its volumes have no size', async () => {
    await using sandbox = new DockerSandbox({ ...options, docker: podmanHost })
    await expect(sandbox.start()).rejects.toMatchObject({ code: 'DISK_LIMIT_UNAVAILABLE' })
  })
})
