import { CommandLineCodeExecutor } from '@fenced/sandbox'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LocalSandbox } from '../src/index.ts'

/** As a pod whose node is lost: nothing ends its process any more, and to remove it takes longer than the block may take. */
class LosingSandbox extends LocalSandbox {
  override async spawn(...args: Parameters<LocalSandbox['spawn']>) {
    const process = await super.spawn(...args)
    const lost = { kind: 'stuck', message: 'The node does not answer.' } as const
    return Object.assign(Object.create(process), {
      exited: new Promise(() => {}),
      ended: process.ended.then(() => lost),
    })
  }

  readonly workDirectory = this.shared

  async beforeBlock() {}

  async afterBlock() {}

  async afterStuckBlock() {
    vi.advanceTimersByTime(60_000)
  }
}

test('a block whose sandbox was lost has died, however long the sandbox takes to be removed', async () => {
  await using sandbox = new LosingSandbox()
  await using executor = new CommandLineCodeExecutor({ sandbox, warm: false, timeoutMs: 30_000 })
  await executor.start()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const result = await executor.execute([{ language: 'sh', code: 'echo so far' }])
  vi.useRealTimers()
  expect(result.blocks).toMatchObject([{ status: 'died', output: expect.stringContaining('so far') }])
})
