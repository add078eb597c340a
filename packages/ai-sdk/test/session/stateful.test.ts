// @module-tag all

import { codeExecutionTool, undoTool } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { generateText, isStepCount, jsonSchema, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect, it } from 'vitest'
import { toSandboxSession } from '../../src/index.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

/** Calls tools one after another, and then ends. */
function modelThatCalls(...calls: readonly (readonly [toolName: string, input: object])[]) {
  const steps = calls.map(([toolName, input], index) => ({
    content: [{ type: 'tool-call' as const, toolCallId: `${index}`, toolName, input: JSON.stringify(input) }],
    finishReason: { unified: 'tool-calls' as const, raw: undefined },
    ...{ usage, warnings: [] },
  }))
  const end = {
    content: [{ type: 'text' as const, text: 'Done.' }],
    finishReason: { unified: 'stop' as const, raw: undefined },
    ...{ usage, warnings: [] },
  }
  return new MockLanguageModelV4({ doGenerate: [...steps, end] })
}

it.skipIf(process.platform !== 'linux')(
  'a model keeps variables beside the commands of a session, and undoes what both did to files',
  async () => {
    await using executor = new LocalCommandLineCodeExecutor({ stateful: true })
    const shell = tool({
      description: 'Runs a command.',
      inputSchema: jsonSchema<{ command: string }>({
        type: 'object',
        properties: { command: { type: 'string' } },
      }),
      execute: async ({ command }, { experimental_sandbox: session }) =>
        (await session?.run({ command }))?.stdout,
    })
    const python = (code: string) => ['execute_code', { code, language: 'python' }] as const
    const model = modelThatCalls(
      python('rows = ["a"]\nopen("rows.txt", "w").write("a")'),
      python('rows.clear()'),
      ['shell', { command: 'echo spoiled > rows.txt; echo more > other.txt' }],
      ['undo', {}],
      ['shell', { command: 'cat rows.txt; ls' }],
      python('print(rows)'),
      ['undo', { steps: 9 }],
    )
    const session = toSandboxSession(executor)
    const { steps, text } = await generateText({
      ...{ model, prompt: 'Keep the rows.', stopWhen: isStepCount(9) },
      tools: { execute_code: codeExecutionTool(executor), undo: undoTool(executor), shell },
      experimental_sandbox: session,
    })
    expect(text).toBe('Done.')
    const outputs = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output))
    expect(outputs[3]).toBe('Block 2 was undone. Variables and files are as after block 1.')
    expect(outputs[4]).toBe('arows.txt\n')
    expect(outputs[5]).toMatchObject({ status: 'ok', output: "['a']\n" })
    // An error is for the model, and changes nothing.
    const refused = steps[6]?.content.find(({ type }) => type === 'tool-error')
    expect(refused).toMatchObject({ toolName: 'undo', error: { code: 'NO_CHECKPOINT' } })
    expect(await session.readTextFile({ path: 'rows.txt' })).toBe('a')
    expect(JSON.stringify(model.doGenerateCalls[0]?.tools)).toContain('persist between python programs')
  },
)
