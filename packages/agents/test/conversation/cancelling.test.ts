import { describe, expect, it } from 'vitest'
import { endless, eventsOf, historyOf, speaker, typesOf } from '../../src/agent/agents.fixture.ts'
import { CodeExecutorAgent } from '../../src/code-executor-agent/code-executor-agent.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'
import { asChatAgent } from '../../src/team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../../src/team/round-robin-group-chat.ts'
import { ScriptedHumanInput } from '../../src/testing/scripted-human-input.ts'
import { busyConversation } from './busy-conversation.fixture.ts'

const whole = await eventsOf(busyConversation().begin())
const positions = whole.map(({ type }, index) => [index, type] as const)
const lastTermination = typesOf(whole).lastIndexOf('termination')

type Busy = ReturnType<typeof busyConversation>

/** What there is to see when nothing runs any more: afterwards nothing changes, and the next conversation can begin. */
async function isQuiet({ user, writer, executor, running, begin }: Busy) {
  const seen = () => JSON.stringify([historyOf(user, writer), historyOf(writer, user), executor.ran, running])
  const before = seen()
  for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate)
  expect(seen()).toBe(before)
  expect(running.tools).toBe(0)
  const next = begin(AbortSignal.abort())
  expect((await next).status).toBe('cancelled')
}

describe('a conversation with everything in it', () => {
  it('has events of every kind', () => {
    expect([...new Set(typesOf(whole))].sort()).toEqual([
      'auto-reply',
      'chat-end',
      'chat-start',
      'code',
      'code-end',
      'code-start',
      'human-input-answered',
      'human-input-requested',
      'message',
      'no-human-input',
      'notice',
      'termination',
      'text-delta',
      'tool-end',
      'tool-output',
      'tool-start',
      'usage',
    ])
  })

  it('can be aborted at each event', ({ everyRow }) =>
    everyRow(positions, async (position) => {
      const busy = busyConversation()
      const stop = new AbortController()
      const chat = busy.begin(stop.signal)
      let index = 0
      let types = ''
      for await (const event of chat) {
        types = event.type
        if (index++ === position) stop.abort()
      }
      const { status, summary } = await chat
      if (position < lastTermination) expect(status).toBe('cancelled')
      if (status === 'cancelled') expect(summary).toBe('')
      expect(types).toBe('chat-end')
      await isQuiet(busy)
    }))

  it('can be left at each event', ({ everyRow }) =>
    everyRow(positions, async (position) => {
      const busy = busyConversation()
      const chat = busy.begin()
      let index = 0
      for await (const _ of chat) if (index++ === position) break
      await isQuiet(busy)
      const { status } = await chat
      if (position < lastTermination) expect(status).toBe('cancelled')
    }))

  it('is cancelled before its first word by a signal that was aborted before', async () => {
    const { begin, user, writer, person } = busyConversation()
    const chat = begin(AbortSignal.abort())
    expect(typesOf(await eventsOf(chat))).toEqual(['chat-start', 'termination', 'chat-end'])
    expect(await chat).toMatchObject({
      status: 'cancelled',
      messages: [],
      stopReason: 'It was cancelled.',
    })
    expect([historyOf(writer, user), person.requests]).toEqual([[], []])
  })
})

describe('a signal that was aborted before', () => {
  const reason = new Error('no time left')
  const signal = AbortSignal.abort(reason)
  const pair = () => [speaker('a', endless('more')), speaker('b', endless('again'))] as const

  it('is a result where there is a status', async () => {
    const [a, b] = pair()
    const message = 'Begin.'
    const chat = await a.initiateChat(b, { message, signal })
    const chats = await a.initiateChats([{ recipient: b, message }], { signal })
    const participants = [asChatAgent(a), asChatAgent(b)]
    const team = await new RoundRobinGroupChat({ participants }).run({ task: message, signal })
    const coder = new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor() })
    const task = await coder.run({ task: fence('sh', 'one'), signal })
    const results = [chat, ...chats, team, task]
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'cancelled'))
  })

  it('is the reason of a rejection where there is none', async () => {
    const [a, b] = pair()
    const coder = new CodeExecutorAgent({ name: 'coder', executor: new EchoExecutor() })
    for (const begin of [
      () => a.generateReply({ messages: [{ role: 'user', content: fence('sh', 'one') }], signal }),
      () => a.send('Begin.', b, { requestReply: true, signal }),
      () => asChatAgent(a).onMessages([], { signal }),
      () => coder.onMessages([], { signal }),
    ])
      await expect(begin()).rejects.toBe(reason)
  })
})

describe('a cancelled conversation', () => {
  it.each([
    ['a person', { humanInputMode: 'always', humanInput: { ask: () => new Promise<string>(() => {}) } }, []],
    ['a reply function', {}, () => new Promise<never>(() => {})],
  ] as const)('does not wait for %s who never answers', async (_, options, lines) => {
    const stop = new AbortController()
    const deaf = speaker('deaf', lines, options)
    const chat = speaker('a', ['again']).initiateChat(deaf, { message: 'Begin.', signal: stop.signal })
    for await (const event of chat) if (event.type === 'message') setImmediate(() => stop.abort())
    expect((await chat).status).toBe('cancelled')
  })

  it('keeps what was said', async () => {
    const stop = new AbortController()
    const b = speaker('b', (turn) => {
      if (turn === 2) stop.abort()
      return `answer ${turn}`
    })
    const a = speaker('a', endless('more'))
    const result = await a.initiateChat(b, { message: 'begin', signal: stop.signal })
    expect(result.messages.map(({ content }) => content)).toEqual([
      'begin',
      'answer 0',
      'more',
      'answer 1',
      'more',
    ])
    expect(historyOf(b, a)).toHaveLength(5)
  })

  it('is one also when its reader aborts it at the last message, which is too long to go on without them', async () => {
    const stop = new AbortController()
    const { signal } = stop
    const long = 'x'.repeat(5 * 1024 * 1024)
    const chat = speaker('a').initiateChat(speaker('b', [long]), { message: 'begin', maxTurns: 1, signal })
    for await (const event of chat) if (event.type === 'message' && event.agent === 'b') stop.abort()
    const { status, summary, messages } = await chat
    expect([status, summary, messages.length]).toEqual(['cancelled', '', 2])
  })

  it('is one also when a function gives up with nothing to say', async () => {
    const stop = new AbortController()
    const b = speaker('b', () => {
      stop.abort()
      return null
    })
    const result = await speaker('a').initiateChat(b, { message: 'begin', signal: stop.signal })
    expect([result.status, result.stopReason]).toEqual(['cancelled', 'It was cancelled.'])
  })

  it('ends although its reader stands still, and asks nobody any more', async () => {
    let questions = 0
    // One that does not look at the signal.
    const humanInput = { ask: async () => `answer ${++questions}` }
    const a = speaker('a', endless('more'))
    const b = speaker('b', endless('answer'), { humanInputMode: 'always', humanInput })
    const stop = new AbortController()
    const chat = a.initiateChat(b, { message: 'begin', signal: stop.signal })
    await chat[Symbol.asyncIterator]().next()
    for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate)
    stop.abort()
    expect((await chat).status).toBe('cancelled')
    expect(questions).toBe(0)
  })

  it('ends although a person is being asked', async () => {
    const person = new ScriptedHumanInput(() => new Promise(() => {}))
    const b = speaker('b', [], { humanInputMode: 'always', humanInput: person })
    const stop = new AbortController()
    const chat = speaker('a').initiateChat(b, { message: 'begin', signal: stop.signal })
    while (person.requests.length === 0) await new Promise(setImmediate)
    stop.abort()
    expect((await chat).status).toBe('cancelled')
  })
})
