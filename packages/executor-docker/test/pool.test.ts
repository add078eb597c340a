import { setTimeout as delay } from 'node:timers/promises'
import { SandboxPool } from '@fenced/sandbox'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { noticeCodes, printed, sh } from './blocks.ts'
import { containersNamed, removeContainer } from './raw-engine.ts'
import { docker } from './requirements.ts'

describe.skipIf(docker.missing)('a pool of containers', () => {
  it('hands out clean ones, ready before, and leaves none', async () => {
    const { pool, containers } = poolOf('clean', 2)
    await pool.start()
    expect(await containers()).toHaveLength(2)
    const first = await pool.acquire()
    await printed(first.resource, sh('echo secret > file; echo here'))
    await first.release()
    const second = await pool.acquire()
    expect(await printed(second.resource, sh('ls; echo clean'))).toBe('clean\n')
    await pool.stop()
    expect(await containers()).toEqual([])
  })

  it('does not hand out one that was lost while it waited', async () => {
    const { pool, containers } = poolOf('lost', 1)
    await pool.start()
    const [lost = ''] = await containers()
    await removeContainer(lost)
    // One that was started just now is trusted.
    await delay(5_100)
    const lease = await pool.acquire()
    expect(await printed(lease.resource, sh('echo here'))).toBe('here\n')
    expect(noticeCodes(await lease.resource.execute([sh('true')]))).toEqual([])
    expect(await containers()).not.toContain(lost)
  })
})

describe.skipIf(docker.missing)('a key of containers', () => {
  it.each(['bind', 'copy'] as const)(
    'keeps its files (%s) when another key needs the place',
    async (workDirMode) => {
      const image = 'fenced-test/busybox'
      const pool = new SandboxPool({
        create: ({ workDir }) => new DockerCommandLineCodeExecutor({ image, workDir, workDirMode }),
        ...{ size: 0, max: 1 },
      })
      onTestFinished(() => pool.stop())
      const run = async (key: string, code: string) => {
        await using lease = await pool.get(key)
        return { output: await printed(lease.resource, sh(code)), notice: lease.notice?.data }
      }
      await run('ada', 'mkdir work; echo 42 > work/answer; echo done')
      expect(await run('bob', 'ls; echo nothing')).toEqual({ output: 'nothing\n', notice: undefined })
      const notice = { reason: 'needed', files: 'kept' }
      expect(await run('ada', 'cat work/answer')).toEqual({ output: '42\n', notice })
    },
  )
})

function poolOf(word: string, size: number) {
  const prefix = `fenced-pool-${word}-${process.pid}-`
  let made = 0
  const create = () =>
    new DockerCommandLineCodeExecutor({ image: 'fenced-test/busybox', containerName: `${prefix}${++made}` })
  const pool = new SandboxPool({ create, size })
  onTestFinished(() => pool.stop())
  const containers = async () => (await containersNamed(prefix)).map(({ Names }) => Names[0]?.slice(1) ?? '')
  return { pool, containers }
}
