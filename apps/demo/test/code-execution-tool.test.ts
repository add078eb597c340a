import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AssistantAgent, registerFunction, UserProxyAgent } from '@fenced/agents'
import { ScriptedModel } from '@fenced/agents/testing'
import { type CodeExecutionTool, type CodeExecutionToolInput, codeExecutionTool } from '@fenced/core'
import type { ToolOutput } from '@fenced/core/tool'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import {
  generateText,
  type InferToolInput,
  type InferToolOutput,
  isStepCount,
  streamText,
  type Tool,
} from 'ai'
import { expect, expectTypeOf, test } from 'vitest'

const call = (code: string) => ({
  toolCalls: [{ name: 'execute_code', input: { language: 'sh', code } }],
})

test('it is a tool of the AI SDK, with its types', () => {
  expectTypeOf<CodeExecutionTool>().toExtend<Tool<CodeExecutionToolInput, ToolOutput>>()
  expectTypeOf<InferToolInput<CodeExecutionTool>>().toEqualTypeOf<CodeExecutionToolInput>()
  expectTypeOf<InferToolOutput<CodeExecutionTool>>().toEqualTypeOf<ToolOutput>()
})

test('generateText calls it, and the model reads the failure and then the answer', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  const model = new ScriptedModel([call('echo "no such thing" >&2; exit 3'), call('echo 42'), 'It is 42.'])
  const { text, steps } = await generateText({
    model,
    prompt: 'What is it?',
    tools: { execute_code: codeExecutionTool(executor) },
    stopWhen: isStepCount(8),
  })
  expect(text).toBe('It is 42.')
  expect(steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output))).toMatchObject([
    { status: 'error', exitCode: 3, error: 'no such thing' },
    { status: 'ok', exitCode: 0, output: '42\n' },
  ])
  expect(model.prompts.at(-1)?.filter(({ role }) => role === 'tool')).toMatchObject([
    { content: [{ output: { type: 'error-text', value: 'no such thing\n\nExit code: 3 (error)' } }] },
    { content: [{ output: { type: 'text', value: '42' } }] },
  ])
})

test('streamText shows what is printed while the program runs', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  const untilSeen = 'while [ ! -e seen ]; do sleep 0.05; done'
  const { stream } = streamText({
    model: new ScriptedModel([call(`echo one; ${untilSeen}; echo two`), 'Done.']),
    prompt: 'Count.',
    tools: { execute_code: codeExecutionTool(executor) },
    stopWhen: isStepCount(8),
  })
  const outputs: unknown[] = []
  for await (const part of stream) {
    if (part.type !== 'tool-result') continue
    outputs.push(part.output)
    if (part.preliminary === true) await writeFile(join(executor.workDir, 'seen'), '')
  }
  expect(outputs[0]).toMatchObject({ status: 'running', output: 'one\n' })
  expect(outputs.at(-1)).toMatchObject({ status: 'ok', output: 'one\ntwo\n' })
})

test('agents of AutoGen 0.2 have it as a function', async () => {
  await using executor = new LocalCommandLineCodeExecutor()
  const writer = new AssistantAgent({
    name: 'writer',
    model: new ScriptedModel([call('echo 42'), 'TERMINATE']),
  })
  const user = new UserProxyAgent({ name: 'user', humanInputMode: 'never', codeExecutionConfig: false })
  registerFunction(codeExecutionTool(executor), { caller: writer, executor: user })
  const { messages } = await user.initiateChat(writer, { message: 'What is it?' })
  expect(JSON.stringify(messages)).toContain('42')
})
