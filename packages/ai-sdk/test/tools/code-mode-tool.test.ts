import { DecisionLedger } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import {
  type Experimental_ToolCallerTool,
  generateText,
  isStepCount,
  streamText,
  type ToolExecutionOptions,
  tool,
} from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { codeModeTool, type SandboxSession } from '../../src/index.ts'

const executor = new LocalCommandLineCodeExecutor()
afterAll(() => executor.stop())

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

/** A model that writes one program, and then says what it has read. Keeps the tools that it was shown. */
function programmer(code: string) {
  const shown: { name: string; description?: string | undefined }[] = []
  const answer = (options: {
    prompt: readonly { role: string; content: unknown }[]
    tools?: unknown[] | undefined
  }) => {
    const last = options.prompt.at(-1)
    if (last?.role === 'tool') return { type: 'text' as const, text: JSON.stringify(last.content) }
    shown.push(...((options.tools ?? []) as typeof shown))
    const input = JSON.stringify({ code, language: 'python' })
    return { type: 'tool-call' as const, toolCallId: 'call', toolName: 'code', input }
  }
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => {
      const content = answer(options)
      const unified = content.type === 'text' ? 'stop' : 'tool-calls'
      return { content: [content], finishReason: { unified, raw: undefined }, usage, warnings: [] }
    },
    doStream: async (options) => {
      const content = answer(options)
      const parts =
        content.type === 'tool-call'
          ? [content]
          : [
              { type: 'text-start' as const, id: 't' },
              { type: 'text-delta' as const, id: 't', delta: content.text },
              { type: 'text-end' as const, id: 't' },
            ]
      const unified = content.type === 'text' ? ('stop' as const) : ('tool-calls' as const)
      const end = { type: 'finish' as const, finishReason: { unified, raw: undefined }, usage }
      return { stream: simulateReadableStream({ chunks: [...parts, end] }) }
    },
  })
  return { model, shown }
}

const asked: ToolExecutionOptions<unknown>[] = []
const double = tool({
  description: 'Twice a number.',
  inputSchema: z.object({ n: z.int() }),
  outputSchema: z.int(),
  execute: ({ n }, options) => {
    asked.push(options)
    return n * 2
  },
})
const guarded = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'secret' })
const program = 'import tools\nprint(sum(tools.double(n) for n in range(10)))'

describe('codeModeTool', () => {
  it('lets a program call the tools of its generateText, which the model sees as functions only', async () => {
    const { model, shown } = programmer(program)
    const { text } = await generateText({
      model,
      prompt: 'Add them.',
      tools: { code: codeModeTool(executor), double },
      experimental_toolCallers: { double: ['code'] },
      stopWhen: isStepCount(3),
    })
    expect(text).toContain('90')
    expect(shown.map(({ name }) => name)).toEqual(['code'])
    expect(shown[0]?.description).toMatch(/def double[\s\S]*Twice a number/)
  })

  it('does so for streamText, and leaves a tool to the model as well', async () => {
    const { model, shown } = programmer(program)
    const { text } = streamText({
      model,
      prompt: 'Add them.',
      tools: { code: codeModeTool(executor), double },
      experimental_toolCallers: { double: ['code', 'AI_SDK_DIRECT_TOOL_CALL'] },
      stopWhen: isStepCount(3),
    })
    expect(await text).toContain('90')
    expect(shown.map(({ name }) => name)).toEqual(['code', 'double'])
  })

  it('gives to a tool what the SDK gives to the program: messages and sandbox, and a call of its own', async () => {
    const { model } = programmer('import tools\ntools.double(1)')
    const sandbox = { description: 'mine' } as SandboxSession
    asked.length = 0
    await generateText({
      model,
      prompt: 'Do it.',
      tools: { code: codeModeTool(executor), double },
      experimental_toolCallers: { double: ['code'] },
      stopWhen: isStepCount(2),
      experimental_sandbox: sandbox,
    })
    expect(asked).toMatchObject([{ experimental_sandbox: sandbox, messages: [{ role: 'user' }] }])
    expect(asked[0]?.toolCallId).not.toBe('call')
  })

  it.each([
    [{ decision: 'allow' } as const, 'secret'],
    [{ decision: 'deny', reason: 'not you' } as const, 'not you'],
  ])('asks before a call, and the program waits: %j', async (answer, said) => {
    const { model } = programmer(
      'import tools\ntry:\n    print(tools.guarded())\nexcept Exception as error:\n    print(error)',
    )
    const { text } = await generateText({
      model,
      prompt: 'Do it.',
      tools: { code: codeModeTool(executor, { ask: { tool: async () => answer } }), guarded },
      experimental_toolCallers: { guarded: ['code'] },
      stopWhen: isStepCount(2),
    })
    expect(text).toContain(said)
  })

  it('asks about programs and calls with one `ask`, and remembers an answer for later calls', async () => {
    const kinds: string[] = []
    const ask = ({ kind }: { kind: string }) => {
      kinds.push(kind)
      return kind === 'code' ? ({ decision: 'allow', remember: 'code' } as const) : 'allow'
    }
    const ledger = new DecisionLedger()
    const code = codeModeTool(executor, { ask, ledger })
    for (let call = 0; call < 2; call++) {
      const { model } = programmer('import tools\nprint(tools.guarded())')
      const { text } = await generateText({
        model,
        prompt: 'Do it.',
        tools: { code, guarded },
        experimental_toolCallers: { guarded: ['code'] },
        stopWhen: isStepCount(2),
      })
      expect(text).toContain('secret')
    }
    expect(kinds).toEqual(['code', 'tool', 'tool'])
    const records = (await ledger.list()).map(({ kind, state }) => `${kind} ${state}`)
    expect(records.toSorted()).toEqual(['code finished', 'code finished', 'tool finished', 'tool finished'])
  })

  it('denies a tool that needs approval where nobody is asked', async () => {
    const { model } = programmer(
      'import tools\ntry:\n    print(tools.guarded())\nexcept Exception as error:\n    print("refused")',
    )
    const { text } = await generateText({
      model,
      prompt: 'Do it.',
      tools: { code: codeModeTool(executor), guarded },
      experimental_toolCallers: { guarded: ['code'] },
      stopWhen: isStepCount(2),
    })
    expect(text).toContain('refused')
    expect(text).not.toContain('secret')
  })

  it('calls tools of its own, and is a caller for the SDK', async () => {
    const { model } = programmer('import tools\nprint(tools.own(), tools.double(4))')
    const code = codeModeTool(executor, { tools: { own: () => 'mine' } })
    const { text } = await generateText({
      model,
      prompt: 'Do it.',
      tools: { code, double },
      experimental_toolCallers: { double: ['code'] },
      stopWhen: isStepCount(2),
    })
    expect(text).toContain('mine 8')
    expectTypeOf(code).toExtend<Experimental_ToolCallerTool>()
  })
})
