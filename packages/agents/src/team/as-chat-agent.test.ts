import { z } from '@fenced/core/zod'
import { describe, expect, it } from 'vitest'
import { codeOf, speaker } from '../agent/agents.fixture.ts'
import { autoGenClass } from '../autogen.ts'
import type { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../conversable-agent/presets.ts'
import type { AgentState } from '../event.ts'
import { type Message, textOf } from '../message/message.ts'
import { microtasks } from '../microtasks.fixture.ts'
import { EchoExecutor } from '../reply/echo-executor.fixture.ts'
import { MaxMessageTermination, StopMessageTermination } from '../termination/conditions.ts'
import { text } from '../termination/watch.fixture.ts'
import { ScriptedHumanInput } from '../testing/scripted-human-input.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { asChatAgent } from './as-chat-agent.ts'
import { RoundRobinGroupChat } from './round-robin-group-chat.ts'
import { itemsOf, saidIn, TestAgent } from './test-agent.fixture.ts'

const program = '```python\nprint(233)\n```'

/** What the model was asked in a call, without its instructions. */
function asked(model: ScriptedModel, call: number): string[] {
  return (model.prompts[call] ?? []).flatMap(({ role, content }) =>
    role === 'system'
      ? []
      : typeof content === 'string'
        ? [content]
        : [content.map((part) => ('text' in part ? part.text : part.type)).join('|')],
  )
}

describe('an agent of the 0.2 family in a team', () => {
  it('writes code that another one runs, until it ends it', async () => {
    const model = new ScriptedModel([`Run this:\n${program}`, 'It is 233.\n\nTERMINATE'])
    const coder = new AssistantAgent({ name: 'coder', model })
    const runner = new UserProxyAgent({
      name: 'runner',
      humanInputMode: 'never',
      codeExecutionConfig: { executor: new EchoExecutor() },
    })
    const team = new RoundRobinGroupChat({
      participants: [asChatAgent(coder), asChatAgent(runner)],
      terminationCondition: new StopMessageTermination().or(new MaxMessageTermination({ maxMessages: 9 })),
    })
    const run = team.run({ task: 'The 14th Fibonacci number?' })
    const items = await itemsOf(run)
    const { messages, events, stopReason } = await run
    expect(stopReason).toBe('Stop message received')
    expect(events.map(({ type, agent }) => `${type} ${agent}`)).toEqual([
      'task-start RoundRobinGroupChat',
      'message user',
      'usage coder',
      'message coder',
      'code-start runner',
      'code runner',
      'code runner',
      'code-end runner',
      'message runner',
      'usage coder',
      'message coder',
    ])
    expect(messages.map((message) => `${autoGenClass(message)} ${message.source}`)).toEqual([
      'TextMessage user',
      'TextMessage coder',
      'TextMessage runner',
      'StopMessage coder',
    ])
    expect(new Set(items.map(({ type }) => type))).toContain('text-delta')
    expect(new Set(items.map(({ type }) => type))).toContain('code')
    const chunks = items.flatMap((item) => (item.type === 'text-delta' ? [item.text] : []))
    expect(chunks.join('')).toBe(`Run this:\n${program}It is 233.\n\nTERMINATE`)
    expect(messages[1]?.metadata?.usage).toMatchObject({ byModel: { scripted: {} } })
    expect(messages[2]?.metadata).toBeUndefined()
    expect(coder.usage.totalTokens).toBe(
      messages.reduce((sum, { metadata }) => sum + (metadata?.usage?.totalTokens ?? 0), 0),
    )
  })

  it('has its model read who said what, as soon as several speak', async () => {
    const model = new ScriptedModel(['one', 'two'])
    const agent = asChatAgent(new AssistantAgent({ name: 'a', model }))
    await agent.onMessages([text('user', 'go')])
    await agent.onMessages([text('b', program), text('user', 'Well?')])
    expect(asked(model, 0)).toEqual(['go'])
    expect(asked(model, 1)).toEqual(['user:\ngo', 'one', `b:\n${program}\n\nuser:\nWell?`])
  })

  it('finds code below the name of its writer', async () => {
    const runner = new UserProxyAgent({
      name: 'runner',
      humanInputMode: 'never',
      codeExecutionConfig: { executor: new EchoExecutor() },
    })
    const { message } = await asChatAgent(runner).onMessages([text('user', 'go'), text('coder', program)])
    expect(message.content).toContain('exitcode: 0')
  })

  it('does a task alone', async () => {
    const agent = asChatAgent(new AssistantAgent({ name: 'a', model: new ScriptedModel(['Hello.']) }))
    const { messages, status } = await agent.run({ task: 'Hi.' })
    expect(saidIn(messages)).toEqual(['user: Hi.', 'a: Hello.'])
    expect(status).toBe('done')
    expect(agent).toMatchObject({ name: 'a', description: expect.stringContaining('assistant') })
  })
})

describe('it ends the team', () => {
  const respond = async (agent: ConversableAgent, ...messages: Message[]) =>
    (await asChatAgent(agent).onMessages(messages)).message
  const saying = (line: string | null) => speaker('a', [line])

  it.each<[string, ConversableAgent, Message, object]>([
    [
      'by its last line',
      saying('Bye.\nTERMINATE'),
      text('b', 'x'),
      { content: 'Bye.\nTERMINATE', metadata: { stop: true } },
    ],
    [
      'by having no reply',
      saying(null),
      text('b', 'x'),
      { content: 'a has no reply.', metadata: { stop: true } },
    ],
    [
      'by what it was told',
      saying('x'),
      text('b', 'Thanks.\nTERMINATE'),
      { content: 'team sent a message that ends it.', metadata: { stop: true } },
    ],
    [
      'not by the word in a sentence',
      saying('Say TERMINATE then.'),
      text('b', 'x'),
      { content: 'Say TERMINATE then.' },
    ],
    [
      'not with code that is still to be run',
      saying(`${program}\nTERMINATE`),
      text('b', 'x'),
      { content: `${program}\nTERMINATE` },
    ],
    [
      'but with code that is only shown',
      saying('```json\n{}\n```\nTERMINATE'),
      text('b', 'x'),
      { metadata: { stop: true } },
    ],
  ])('%s', async (_, agent, message, expected) => {
    const response = await respond(agent, message)
    expect(response).toMatchObject(expected)
    expect(autoGenClass(response)).toBe('metadata' in expected ? 'StopMessage' : 'TextMessage')
  })

  it('after it has run the code that came with the last word (D-45)', async () => {
    const runner = new UserProxyAgent({
      name: 'runner',
      humanInputMode: 'never',
      codeExecutionConfig: { executor: new EchoExecutor() },
    })
    expect(await respond(runner, text('coder', `${program}\nTERMINATE`))).toMatchObject({
      metadata: { stop: true },
      content: expect.stringContaining('exitcode: 0'),
    })
  })

  it('when it has answered as often as it may', async () => {
    const agent = asChatAgent(speaker('a', ['x', 'x', 'x'], { maxConsecutiveAutoReply: 2 }))
    const types: string[] = []
    for (let turn = 0; turn < 3; turn++)
      types.push(autoGenClass((await agent.onMessages([text('b', 'x')])).message))
    expect(types).toEqual(['TextMessage', 'TextMessage', 'StopMessage'])
  })
})

describe('a person behind it', () => {
  it('is asked through its own input, when all that came before was told', async () => {
    const told: string[] = []
    const humanInput = new ScriptedHumanInput(() => {
      told.push('asked')
      return 'No, louder.'
    })
    const proxy = new UserProxyAgent({ name: 'boss', humanInput })
    const team = new RoundRobinGroupChat({
      participants: [new TestAgent('a'), asChatAgent(proxy)],
      maxTurns: 2,
    })
    const inTeam = new RoundRobinGroupChat({ name: 'outer', participants: [team], maxTurns: 1 })
    for await (const item of inTeam.run({ task: 'go' })) {
      await microtasks()
      told.push(item.type === 'message' ? textOf(item.message) : item.type)
    }
    expect(told).toEqual([
      'task-start',
      'go',
      "a's",
      'human-input-requested',
      'asked',
      'human-input-answered',
      'No, louder.',
      'task-end',
    ])
    expect(humanInput.requests[0]?.prompt).toContain('Replying as boss.')
  })

  it('can end the team', async () => {
    const humanInput = new ScriptedHumanInput(['exit'])
    const proxy = new UserProxyAgent({ name: 'boss', humanInput })
    const { message } = await asChatAgent(proxy).onMessages([text('a', 'x')])
    expect(message).toMatchObject({
      metadata: { stop: true },
      content: 'The person behind boss asked to end it.',
    })
  })
})

describe('tools', () => {
  const add = {
    name: 'add',
    description: 'Adds.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }: { a: number; b: number }) => a + b,
  }
  const calls = { text: 'Adding.', toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] }

  it('that it can call itself belong to its turn', async () => {
    const agent = new AssistantAgent({ name: 'a', model: new ScriptedModel([calls, 'It is 3.']) })
    agent.registerForModel(add)
    agent.registerForExecution(add)
    const run = asChatAgent(agent).onMessages([text('user', 'go')])
    const { message, events } = await run
    expect(message).toMatchObject({ content: 'It is 3.' })
    expect(events).toMatchObject([
      { type: 'task-start' },
      { type: 'usage', modelId: 'scripted' },
      { type: 'tool-calls', toolCalls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      { type: 'tool-start', call: { name: 'add' } },
      { type: 'tool-end', response: { content: '3' } },
      { type: 'tool-results', results: [{ name: 'add', content: '3' }] },
      { type: 'usage', modelId: 'scripted' },
    ])
  })

  it('that another one can call are called by that one', async () => {
    const model = new ScriptedModel([calls, 'It is 3.\nTERMINATE'])
    const [asking, calling, listening] = [
      new AssistantAgent({ name: 'asking', model }),
      new UserProxyAgent({ name: 'calling', humanInputMode: 'never' }),
      new TestAgent('listening'),
    ]
    asking.registerForModel(add)
    calling.registerForExecution(add)
    const { messages } = await new RoundRobinGroupChat({
      participants: [asChatAgent(asking), asChatAgent(calling), listening],
      terminationCondition: new StopMessageTermination(),
      maxTurns: 9,
    }).run({ task: 'go' })
    expect(messages.map((message) => `${autoGenClass(message)} ${message.source}`)).toEqual([
      'TextMessage user',
      'ToolCallSummaryMessage asking',
      'ToolCallSummaryMessage calling',
      'TextMessage listening',
      'StopMessage asking',
    ])
    expect(saidIn(listening.heard[0] ?? [])).toEqual(['user: go', 'asking: Adding.', 'calling: 3'])
    // It has its answer as an answer, and not as something that is said.
    expect(asked(model, 1)).toEqual([
      'user:\ngo',
      'Adding.|tool-call',
      'tool-result',
      "listening:\nlistening's",
    ])
  })
})

describe('what it remembers', () => {
  const make = () => {
    const model = new ScriptedModel((call) => `answer ${call}`)
    return { model, agent: asChatAgent(new AssistantAgent({ name: 'a', model })) }
  }

  it('is what it was told although it was cancelled or has failed', async () => {
    const model = new ScriptedModel((call) => {
      if (call === 0) throw new Error('offline')
      return 'x'
    })
    const agent = asChatAgent(new AssistantAgent({ name: 'a', model, modelOptions: { maxRetries: 0 } }))
    expect(await codeOf(() => agent.onMessages([text('user', 'one')]))).toBe('MODEL_FAILED')
    const aborted = { signal: AbortSignal.abort(new Error('enough')) }
    await expect(agent.onMessages([text('user', 'two')], aborted)).rejects.toThrow('enough')
    await agent.onMessages([])
    expect(asked(model, 1)).toEqual(['one\n\ntwo'])
  })

  it('goes on elsewhere, also as JSON', async () => {
    const one = make()
    await one.agent.onMessages([text('user', 'one')])
    const state: AgentState = JSON.parse(JSON.stringify(await one.agent.saveState()))
    const other = make()
    await other.agent.loadState(state)
    expect(await other.agent.saveState()).toEqual(state)
    await other.agent.onMessages([text('user', 'two')])
    expect(asked(other.model, 0)).toEqual(['one', 'answer 0', 'two'])
    expect(await codeOf(() => other.agent.loadState({ ...state, version: 2 }))).toBe('INVALID_STATE')
    await other.agent.reset()
    await other.agent.onMessages([text('user', 'three')])
    expect(asked(other.model, 1)).toEqual(['three'])
  })

  it('stays apart for every team, and from its chats', async () => {
    const { model, agent: one } = make()
    const conversable = new AssistantAgent({ name: 'b', model })
    const [first, second] = [asChatAgent(conversable), asChatAgent(conversable)]
    await Promise.all([first.onMessages([text('user', 'one')]), second.onMessages([text('user', 'two')])])
    await first.onMessages([])
    expect(asked(model, 2)).toEqual(['one', expect.stringContaining('answer')])
    await one.reset()
  })

  it('is one conversation: it answers once at a time', async () => {
    const { agent } = make()
    const state = await agent.saveState()
    const answering = agent.onMessages([text('user', 'one')])
    expect(await codeOf(() => agent.onMessages([]))).toBe('AGENT_IS_ANSWERING')
    expect(await codeOf(() => agent.reset())).toBe('AGENT_IS_ANSWERING')
    expect(await codeOf(() => agent.loadState(state))).toBe('AGENT_IS_ANSWERING')
    await answering
  })
})
