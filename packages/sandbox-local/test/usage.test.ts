import { once } from 'node:events'
import { expect, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'

it.runIf(process.platform === 'linux')(
  'the usage of a sandbox includes a process that left its session, and none of other sandboxes',
  async () => {
    await using sandbox = new LocalSandbox()
    await using other = new LocalSandbox()
    await Promise.all([sandbox.start(), other.start()])
    const started = await sandbox.spawn(
      ['/bin/sh', '-c', '(setsid sleep 1000 &) && echo ready && read -r line'],
      {
        stdin: 'open',
      },
    )
    await once(started.stdout, 'data')
    const known = { cpuMs: expect.any(Number), diskBytes: expect.any(Number) }
    // For a moment, `setsid` has a shell around it.
    const expected = { ...known, memoryBytes: expect.any(Number), processes: 2 }
    await expect.poll(() => sandbox.usage()).toEqual(expected)
    expect(await other.usage()).toEqual({ ...known, cpuMs: 0, memoryBytes: 0, processes: 0 })
  },
)

it('a sandbox that is not started has no usage', async () => {
  await expect(new LocalSandbox().usage()).rejects.toMatchObject({ code: 'SANDBOX_GONE' })
})
