import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CodeExecutorAgent, type TaskResult } from '@fenced/agents'
import { ApprovalQueue, fileLedger } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { expect, onTestFinished, test } from 'vitest'

const allowed = ({ questions = [] }: TaskResult) =>
  Object.fromEntries(questions.map(({ request: { id } }) => [id, 'allow'] as const))

test.skipIf(process.platform !== 'linux')(
  'a run that is resumed without its session says that variables are lost, and asks again',
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-resumed-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const agentWith = (executor: LocalCommandLineCodeExecutor) => {
      const ask = { code: new ApprovalQueue().ask }
      return new CodeExecutorAgent({ name: 'runner', executor, ask, ledger: fileLedger(directory) })
    }
    await using first = new LocalCommandLineCodeExecutor({ stateful: true })
    await first.execute([{ language: 'python', code: 'x = 1' }])
    const task = '```python\nprint("x" in globals())\n```'
    const waiting = await agentWith(first).run({ task, onQuestion: 'suspend' })
    await first.stop()

    await using second = new LocalCommandLineCodeExecutor({ stateful: true })
    const agent = agentWith(second)
    const again = await agent.resume(waiting.state ?? expect.fail(), allowed(waiting))
    expect(again.events).toMatchObject([
      { type: 'task-start' },
      { type: 'code', event: { type: 'notice', notice: { code: 'state-lost' } } },
      { type: 'approval-requested' },
    ])
    const { status, text } = await agent.resume(again.state ?? expect.fail(), allowed(again))
    expect([status, text]).toEqual(['done', expect.stringContaining('False')])
  },
)
