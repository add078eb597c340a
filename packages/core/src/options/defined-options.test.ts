import { expect, it } from 'vitest'
import { executeAbout } from '../approval/asks-about-code.ts'
import { EchoExecutor } from '../approval/echo-executor.fixture.ts'
import { askingExecutor } from '../asking-executor.ts'
import type { CodeExecutor, ExecuteOptions } from '../code-executor.ts'
import { executeStream } from '../execute-stream.ts'
import { codeExecutionTool } from '../tool/code-execution-tool.ts'

const blocks = [{ language: 'python', code: 'one' }]
const none = {
  timeoutMs: undefined,
  tools: undefined,
  toolLimits: undefined,
  ask: undefined,
  askTimeoutMs: undefined,
  ledger: undefined,
  remembered: undefined,
  agent: undefined,
} satisfies ExecuteOptions

async function* answer() {
  yield '~~~python\none\n~~~\n'
}

const ways: Record<string, (executor: CodeExecutor) => PromiseLike<unknown>> = {
  executeStream: (executor) => executeStream(executor, answer(), none),
  askingExecutor: (executor) =>
    askingExecutor(executor, () => ({ decision: 'allow' }), { askTimeoutMs: undefined }).execute(
      blocks,
      none,
    ),
  'an agent': (executor) => executeAbout(executor, blocks, { ...none, about: {} }),
  codeExecutionTool: async (executor) => {
    const { timeoutMs, ask, toolLimits } = none
    const tool = codeExecutionTool(executor, { timeoutMs, ask, toolLimits })
    for await (const _ of tool.execute({ code: 'one' }));
  },
}

it('options that are not given are not handed on as `undefined`, which would hide the defaults of an executor', async () => {
  for (const [way, run] of Object.entries(ways)) {
    const handedOn: ExecuteOptions[] = []
    class Recorder extends EchoExecutor {
      override execute(given: typeof blocks, options: ExecuteOptions = {}) {
        handedOn.push(options)
        return super.execute(given, options)
      }
    }
    await run(new Recorder())
    expect(handedOn, way).not.toEqual([])
    const hidden = handedOn.flatMap(Object.entries).filter(([, value]) => value === undefined)
    expect.soft(hidden, way).toEqual([])
  }
})
