import { type Ask, type AskKind, type CodeExecutor, DecisionLedger } from '@fenced/core'
import { DriverExecutor, engineOptionsShape, parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../conversable-agent/presets.ts'
import { createMessage, type Message } from '../message/message.ts'
import { EchoExecutor, fence } from '../reply/echo-executor.fixture.ts'
import { asChatAgent } from '../team/as-chat-agent.ts'
import { ScriptedHumanInput } from '../testing/scripted-human-input.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import type { ReplyFunction } from './agent.ts'

const code = fence('python', 'print(1)')
const allow = () => ({ decision: 'allow' }) as const

/** An agent that runs code, where a person is asked before each reply, and its partner. */
function conversation(
  ask: Ask,
  executor: CodeExecutor & { readonly ran?: readonly string[] } = new EchoExecutor(),
) {
  const user = new UserProxyAgent({ name: 'user', ask, codeExecutionConfig: { executor } })
  const model = new ScriptedModel([code, 'Done.'])
  const writer = new AssistantAgent({ name: 'writer', model })
  const chat = () => user.initiateChat(writer, { message: 'Go.', maxTurns: 2 })
  return { executor, user, chat }
}

/** Answers in turn, and keeps the kinds of the questions. */
function answering(...answers: readonly unknown[]) {
  const kinds: AskKind[] = []
  const ask: Ask = ({ kind }) => answers[kinds.push(kind) - 1] as 'allow'
  return { ask, kinds }
}

/** An executor whose programs print the line that they read. */
function readingExecutor(): CodeExecutor {
  return new DriverExecutor({
    name: 'reading',
    driver: {
      run: async (_, io) => {
        const line = (await io.readLine?.({ prompt: 'Name? ' })) ?? 'nothing'
        await io.write('stdout', Buffer.from(`read ${line}\n`))
        return { exitCode: 0 }
      },
    },
    capabilities: { ...new EchoExecutor().capabilities, inputRequests: true },
    options: parseOptions(z.strictObject(engineOptionsShape), {}, 'the reading executor'),
    stopGraceMs: 1_000,
  })
}

const text = (message: string) => ({ decision: 'answer', text: message })

describe('an agent with `ask`', () => {
  it.each<[string, object]>([
    ['a kind that does not exist', { ask: { files: allow } }],
    ['no function', { ask: 'allow' }],
    ['a time limit of 0', { ask: allow, askTimeoutMs: 0 }],
  ])('refuses %s', (_, options) => {
    const invalid = expect.objectContaining({ code: 'INVALID_OPTIONS' })
    const executor = new EchoExecutor()
    expect(() => new AssistantAgent({ name: 'a', model: new ScriptedModel([]), ...options })).toThrow(invalid)
    expect(() => new CodeExecutorAgent({ name: 'a', executor, ...options })).toThrow(invalid)
  })

  it('refuses a function for messages beside `humanInput`, and prefers `humanInput` to a function for every kind', async () => {
    const humanInput = new ScriptedHumanInput(['exit'])
    const message = () => text('') as never
    expect(() => new UserProxyAgent({ name: 'user', ask: { message }, humanInput })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', data: { option: 'humanInput', kind: 'message' } }),
    )
    const { ask, kinds } = answering()
    const user = new UserProxyAgent({ name: 'user', ask, humanInput })
    const writer = new AssistantAgent({ name: 'writer', model: new ScriptedModel(['Hello.']) })
    await user.initiateChat(writer, { message: 'Go.', maxTurns: 2 })
    expect([kinds, humanInput.requests.length]).toEqual([[], 1])
  })

  it('is asked about its code', async () => {
    const { ask, kinds } = answering('allow', 'deny', undefined)
    const executor = new EchoExecutor()
    const agent = new CodeExecutorAgent({ name: 'runner', executor, ask })
    await agent.run(code)
    expect((await agent.run(code)).text).toContain('not approved')
    await expect(agent.run(code)).rejects.toMatchObject({ code: 'INVALID_APPROVAL' })
    expect([kinds, executor.ran]).toEqual([['code', 'code', 'code'], ['print(1)']])
  })

  it('runs code without a question where `ask` has no function for it', async () => {
    const executor = new EchoExecutor()
    const agent = new CodeExecutorAgent({ name: 'runner', executor, ask: { tool: allow } })
    await agent.run(code)
    expect(executor.ran).toEqual(['print(1)'])
  })

  it.each([
    [
      'CodeExecutorAgent',
      (executor: CodeExecutor, ask: Ask) => new CodeExecutorAgent({ name: 'runner', executor, ask }),
    ],
    [
      'UserProxyAgent',
      (executor: CodeExecutor, ask: Ask) =>
        asChatAgent(
          new UserProxyAgent({
            ...{ name: 'runner', humanInputMode: 'never', codeExecutionConfig: { executor }, ask },
          }),
        ),
    ],
  ] as const)('is asked which line its program reads: %s', async (_, make) => {
    const { ask, kinds } = answering('allow', text('Ann'), 'allow', undefined)
    const agent = make(readingExecutor(), ask)
    expect((await agent.run(code)).text).toContain('read Ann')
    // By default programs have no standard input.
    expect((await agent.run(code)).text).toContain('read nothing')
    expect(kinds).toEqual(['code', 'input', 'code', 'input'])
  })

  it.each<[string, unknown, boolean, number]>([
    ['is allowed', 'allow', true, 1],
    ['is denied', 'deny', false, 0],
    ['has its default', undefined, false, 1],
    ['has its default, which is a denial', undefined, true, 0],
    ['is denied after a wrong answer', { decision: 'edit' }, false, 0],
  ])('a call of a tool %s', async (_, answer, needsApproval, times) => {
    let calls = 0
    const execute = () => ++calls
    const remove = tool({ inputSchema: z.object({}), execute, ...(needsApproval ? { needsApproval } : {}) })
    const { ask, kinds } = answering(answer)
    const model = new ScriptedModel([{ toolCalls: [{ name: 'remove', input: {} }] }, 'Done.'])
    const agent = new AssistantAgent({ name: 'assistant', model, tools: { remove }, ask })
    const { text: said } = await asChatAgent(agent).run('Go.')
    expect([said, kinds, calls]).toEqual(['Done.', ['tool'], times])
  })
})

describe('a message that `ask` answers', () => {
  it('is the reply', async () => {
    const { ask, kinds } = answering(text('Use a loop.\n'))
    const { chat, executor } = conversation(ask)
    const { messages } = await chat()
    expect(messages.map(({ content }) => content)).toEqual(['Go.', code, 'Use a loop.', 'Done.'])
    expect([kinds, executor.ran]).toEqual([['message'], []])
  })

  it('ends the conversation with exit', async () => {
    const { ask } = answering(text('exit'))
    const { chat, executor } = conversation(ask)
    const { messages } = await chat()
    expect([messages.length, executor.ran]).toEqual([2, []])
  })

  it('is the decision about the code that it runs: no second question comes', async () => {
    const requests: unknown[] = []
    const { chat, executor } = conversation((request) => {
      requests.push(request)
      return text('') as never
    })
    await chat()
    expect(executor.ran).toEqual(['print(1)'])
    expect(requests).toEqual([
      expect.objectContaining({
        kind: 'message',
        agent: 'user',
        partner: 'writer',
        choices: expect.arrayContaining([{ answer: '', label: expect.stringContaining('Runs it') }]),
        messages: [{ source: 'writer', text: code }],
        target: expect.objectContaining({ executor: 'echo' }),
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      }),
    ])
  })

  it('leaves the questions of the program that it runs to `ask`, and shows them', async () => {
    const { ask, kinds } = answering(text(''), text('Ann'))
    const { chat } = conversation(ask, readingExecutor())
    const running = chat()
    const shown: AskKind[] = []
    for await (const event of running) if (event.type === 'approval-requested') shown.push(event.request.kind)
    const { messages } = await running
    expect(messages[2]?.content).toContain('read Ann')
    expect([kinds, shown]).toEqual([['message', 'input'], ['input']])
  })

  it('is recorded as the decision of a person about the code', async () => {
    const executor = new EchoExecutor()
    const ledger = new DecisionLedger()
    const ask = { message: () => text('') as never }
    const user = new UserProxyAgent({ name: 'user', ask, ledger, codeExecutionConfig: { executor } })
    const writer = new AssistantAgent({ name: 'writer', model: new ScriptedModel([code, 'Done.']) })
    const types: string[] = []
    for await (const { type } of user.initiateChat(writer, { message: 'Go.', maxTurns: 2 })) types.push(type)
    expect(executor.ran).toEqual(['print(1)'])
    expect(await ledger.list()).toMatchObject([
      { kind: 'code', state: 'finished', decidedBy: 'person', target: { executor: 'echo' } },
    ])
    // The message was the question: no second one is shown.
    expect(types).not.toContain('approval-requested')
  })

  it('is recorded where `humanInput` gives it and no function decides about code', async () => {
    const ledger = new DecisionLedger()
    const executor = new EchoExecutor()
    const humanInput = new ScriptedHumanInput([''])
    const user = new UserProxyAgent({ name: 'user', humanInput, ledger, codeExecutionConfig: { executor } })
    const writer = new AssistantAgent({ name: 'writer', model: new ScriptedModel([code, 'Done.']) })
    await user.initiateChat(writer, { message: 'Go.', maxTurns: 2 })
    expect(executor.ran).toEqual(['print(1)'])
    expect(await ledger.list()).toMatchObject([{ kind: 'code', state: 'finished', decidedBy: 'person' }])
  })

  it('decides about no other code than the message showed', async () => {
    const { ask, kinds } = answering(text(''), 'deny')
    const { chat, user, executor } = conversation(ask)
    const content = fence('python', 'print(2)')
    const other = createMessage({ role: 'user', source: 'writer', origin: 'model', content })
    const exchange: ReplyFunction = ({ messages }) => {
      // A function that breaks its promise not to change them.
      const list = messages as Message[]
      list.splice(-1, 1, other)
      return undefined
    }
    user.registerReply([() => true], exchange, { position: 1 })
    await chat()
    expect([kinds, executor.ran]).toEqual([['message', 'code'], []])
  })

  it('leaves code to the question about it where `humanInput` answers', async () => {
    const executor = new EchoExecutor()
    const { ask, kinds } = answering('deny')
    const humanInput = new ScriptedHumanInput([''])
    const user = new UserProxyAgent({ name: 'user', ask, humanInput, codeExecutionConfig: { executor } })
    const writer = new AssistantAgent({ name: 'writer', model: new ScriptedModel([code, 'Done.']) })
    await user.initiateChat(writer, { message: 'Go.', maxTurns: 2 })
    expect([kinds, executor.ran]).toEqual([['code'], []])
  })

  it.each<[string, Ask]>([
    ['is denied', { message: () => 'deny' }],
    ['cannot be had', { message: () => Promise.reject(new Error('no page')) }],
    ['takes too long', { message: () => new Promise(() => {}) }],
  ])('keeps its question open where it %s', async (_, ask) => {
    const options = { name: 'user', ask, askTimeoutMs: 20 }
    const user = asChatAgent(new UserProxyAgent(options))
    await expect(user.run('Hello?')).rejects.toMatchObject({
      code: 'HUMAN_INPUT_UNAVAILABLE',
      data: { agent: 'user', reason: expect.any(String) },
    })
    expect(await user.saveState()).toMatchObject({
      turn: { questions: [{ request: { kind: 'reply' } }] },
    })
  })
})
