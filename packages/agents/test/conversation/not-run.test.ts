import { describe, expect, it } from 'vitest'
import type { ConversableAgentOptions } from '../../src/agent/agent-options.ts'
import { contentsOf, speaker } from '../../src/agent/agents.fixture.ts'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import { ConversableAgent } from '../../src/conversable-agent/conversable-agent.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'
import { ScriptedModel } from '../../src/testing/scripted-model.ts'

const answers: readonly (readonly [string, string, string])[] = [
  [
    'an expression without a label',
    fence('', '1 + 1'),
    'The block in line 1 names no language and was not run.',
  ],
  ['SQL without a label', fence('', 'SELECT 1;'), 'The block in line 1 names no language and was not run.'],
  [
    'JavaScript without a label',
    fence('', 'console.log(1)'),
    'The block in line 1 names no language and was not run.',
  ],
  ['data only', fence('json', '{}'), 'The block in line 1 is labeled json, which is not run.'],
  ['text only', fence('text', 'hello'), 'The block in line 1 is labeled text, which is not run.'],
]
const unknown = 'unknown language go. This executor runs python, sh.'
const go = fence('go', 'package main')

/** It runs code and has nothing else to say. */
const runnerOf = (options: Partial<ConversableAgentOptions> = {}) =>
  new ConversableAgent({
    name: 'runner',
    humanInputMode: 'never',
    codeExecutionConfig: { executor: new EchoExecutor() },
    ...options,
  })

describe.each(answers)('an answer with %s', (_, answer, why) => {
  it('is answered with the reason by an agent that runs code', async () => {
    const executor = new EchoExecutor()
    const runner = runnerOf({ codeExecutionConfig: { executor } })
    const reply = await runner.generateReply({ messages: [{ role: 'user', content: answer }] })
    expect(reply?.content).toContain(`No code was run.\n${why}`)
    expect(executor.ran).toEqual([])
  })

  it('reaches the model of a CodeExecutorAgent, once', async () => {
    const model = new ScriptedModel([answer, fence('python', 'now'), 'It said now.'])
    const agent = new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor(), model })
    expect((await agent.onMessages([])).message.content).toBe('It said now.')
    expect(JSON.stringify(model.prompts[1]?.at(-1))).toContain(why)
    const twice = new ScriptedModel([answer, answer])
    const other = new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor(), model: twice })
    const { message, events } = await other.onMessages([])
    expect([message.content, twice.prompts.length]).toEqual([answer, 2])
    expect(events.filter(({ type }) => type === 'notice')).toMatchObject([{ notice: { code: 'not-run' } }])
  })
})

describe('a language that nobody runs', () => {
  it('is named in the same words by both', async () => {
    const runner = runnerOf()
    const reply = await runner.generateReply({ messages: [{ role: 'user', content: go }] })
    const { output } = await new EchoExecutor().execute([{ language: 'go', code: '', line: 1 }])
    expect(reply?.content).toContain(output)
    const model = new ScriptedModel([go, 'I cannot.'])
    const coder = new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor(), model })
    expect((await coder.onMessages([])).message.content).toBe('I cannot.')
    expect(JSON.stringify(model.prompts[1]?.at(-1))).toContain(unknown)
    const alone = new CodeExecutorAgent({ name: 'alone', executor: new EchoExecutor() })
    const { messages } = await alone.run({ task: go })
    expect(messages.at(-1)).toMatchObject({
      content: expect.stringMatching(/^No code blocks found in the thread\./),
    })
    expect(messages.at(-1)).toMatchObject({ content: expect.stringContaining(unknown) })
  })

  it('is not one that the agent was told not to run', async () => {
    const executor = new EchoExecutor()
    const model = new ScriptedModel([fence('sh', 'ls'), 'I see.'])
    const agent = new CodeExecutorAgent({
      name: 'coder',
      executor,
      model,
      supportedLanguages: ['python'],
    })
    await agent.onMessages([])
    expect(executor.ran).toEqual([])
    expect(JSON.stringify(model.prompts[1]?.at(-1))).toContain(
      'is sh, which is not run here. This executor runs python.',
    )
  })
})

it('names a program that the agent was told not to run, before the output of the others', async () => {
  for (const model of [undefined, new ScriptedModel([`${fence('sh', 'ls')}\n\n${fence('python', 'now')}`])]) {
    const executor = new EchoExecutor()
    const agent = new CodeExecutorAgent({
      name: 'coder',
      executor,
      supportedLanguages: ['python'],
      reflectOnResult: false,
      ...(model === undefined ? {} : { model }),
    })
    const { messages } = await agent.run({ task: `${fence('sh', 'ls')}\n\n${fence('python', 'now')}` })
    expect(executor.ran).toEqual(['now'])
    expect(messages.at(-1)?.content).toBe(
      'The block in line 1 is sh, which is not run here. This executor runs python.\nnow\n',
    )
  }
})

describe('a person', () => {
  it('is not bothered with it', async () => {
    const runner = runnerOf()
    const person = speaker('person', ['never'], {
      humanInputMode: 'always',
      humanInput: { ask: async () => 'exit' },
    })
    const { messages } = await person.initiateChat(runner, { message: fence('json', '{}') })
    expect(contentsOf(messages)).toEqual([fence('json', '{}'), ''])
  })
})

it('has the words for no reply behind it', async () => {
  const reply = await runnerOf({ defaultAutoReply: 'Go on.' }).generateReply({
    messages: [{ role: 'user', content: fence('json', '{}') }],
  })
  expect(reply?.content).toBe(
    'No code was run.\nThe block in line 1 is labeled json, which is not run.\n\nGo on.',
  )
})
