import { describe, expect, it } from 'vitest'
import { type Message, type MessageDraft, textOf } from '../message/message.ts'
import { answering, asking } from '../message/messages.fixture.ts'
import type { HookName } from './agent.ts'
import { codeOf, contentsOf, endless, historyOf, speaker } from './agents.fixture.ts'

/** Says what it sees. */
const mirror = (name = 'mirror') =>
  speaker(name, (_, { messages }) => contentsOf(messages).join(' | '), { maxConsecutiveAutoReply: 1 })

describe('processMessageBeforeSend', () => {
  it('changes what both sides keep, one function after the other', async () => {
    const [a, b] = [speaker('a'), speaker('b')]
    a.registerHook('processMessageBeforeSend', (message) => ({
      ...message,
      content: `${textOf(message)}, sir`,
    }))
    a.registerHook('processMessageBeforeSend', async (message) => ({
      ...message,
      content: `${textOf(message)}!`,
    }))
    await a.initiateChat(b, { message: 'hello' })
    expect(contentsOf(historyOf(a, b))).toEqual(['hello, sir!'])
    expect(contentsOf(historyOf(b, a))).toEqual(['hello, sir!'])
  })

  it('is called once for each message that is said, with who says it to whom', async () => {
    const seen: unknown[] = []
    const [a, b] = [speaker('a', ['and?']), speaker('b', endless('so'))]
    a.registerHook('processMessageBeforeSend', (message, { sender, recipient }) => {
      seen.push([textOf(message), sender, recipient])
      return message
    })
    await a.initiateChat(b, { message: 'begin' })
    expect(seen).toEqual([
      ['begin', a, b],
      ['and?', a, b],
    ])
  })

  it('is called for the last message of a conversation and for one outside of it', async () => {
    const [a, b] = [speaker('a'), speaker('b')]
    b.registerReply(
      () => true,
      () => ({ reply: 'bye', endsChat: 'enough' }),
    )
    b.registerHook('processMessageBeforeSend', (message) => ({ ...message, content: `(${textOf(message)})` }))
    await a.initiateChat(b, { message: 'begin' })
    await b.send('hello', a)
    expect(contentsOf(historyOf(b, a))).toEqual(['begin', '(bye)', '(hello)'])
  })

  it('has its result checked like any other message', async () => {
    const [a, b] = [speaker('a'), speaker('b')]
    a.registerHook('processMessageBeforeSend', () => ({ role: 'user' }) as Message)
    expect(await codeOf(() => a.initiateChat(b, { message: 'hello' }))).toBe('INVALID_MESSAGE')
    expect([historyOf(a, b), historyOf(b, a)]).toEqual([[], []])
  })
})

describe('processLastReceivedMessage', () => {
  it('changes what the reply is made from, and not what is kept', async () => {
    const [a, b] = [speaker('a', ['next']), mirror()]
    b.registerHook('processLastReceivedMessage', (content) => `${content}?`)
    b.registerHook('processLastReceivedMessage', async (content) => `${content}!`)
    await a.initiateChat(b, { message: 'hello' })
    expect(contentsOf(historyOf(b, a))).toEqual(['hello', 'hello?!', 'next'])
  })

  it.each<[string, Partial<MessageDraft>]>([
    ['an exit', { content: 'exit' }],
    ['an empty text', { content: '' }],
    ['calls of tools', asking('text', { id: '1', name: 'x', input: {} })],
    ['their answers', answering({ toolCallId: '1', name: 'x', content: 'text' })],
  ])('is not called for %s', async (_, message) => {
    const b = mirror()
    let calls = 0
    b.registerHook('processLastReceivedMessage', (content) => {
      calls++
      return content
    })
    await b.generateReply({
      messages: [
        { role: 'user', content: 'before' },
        { role: 'user', content: '', ...message },
      ],
    })
    expect(calls).toBe(0)
  })

  it('is called for a message with metadata, which it leaves as it is', async () => {
    const a = speaker('a')
    const seen: unknown[] = []
    const b = speaker('b', (_, { messages }) => {
      seen.push(messages.at(-1))
      return null
    })
    b.registerHook('processLastReceivedMessage', (content) => `${content}!`)
    await a.initiateChat(b, { message: { content: 'hello', metadata: { key: 1 } } })
    expect(seen).toMatchObject([{ role: 'user', content: 'hello!', source: 'a', metadata: { key: 1 } }])
  })
})

describe('processAllMessagesBeforeReply', () => {
  it('changes what the reply is made from, and not what is kept', async () => {
    const [a, b] = [speaker('a', ['next']), mirror()]
    b.registerHook('processAllMessagesBeforeReply', (messages) => messages.slice(-1))
    b.registerHook('processAllMessagesBeforeReply', async (messages) => [...messages, ...messages])
    await a.initiateChat(b, { message: 'hello', maxTurns: 2 })
    expect(contentsOf(historyOf(b, a))).toEqual(['hello', 'hello | hello', 'next'])
  })

  it('sees what was made of the last message', async () => {
    const [a, b] = [speaker('a'), mirror()]
    b.registerHook('processAllMessagesBeforeReply', (messages) =>
      messages.map((message) => ({ ...message, content: textOf(message).toUpperCase() })),
    )
    b.registerHook('processLastReceivedMessage', (content) => `${content} sir`)
    await a.initiateChat(b, { message: 'hello' })
    expect(contentsOf(historyOf(b, a))).toEqual(['hello', 'HELLO SIR'])
  })

  it('decides also about the end', async () => {
    const b = mirror()
    b.registerHook('processAllMessagesBeforeReply', () => [{ role: 'user', content: 'TERMINATE' }])
    const result = await speaker('a').initiateChat(b, { message: 'hello' })
    expect(contentsOf(result.messages)).toEqual(['hello'])
  })
})

describe('a hook', () => {
  it('needs a name that exists', async () => {
    for (const name of ['processEverything', 'toString', '__proto__']) {
      expect(await codeOf(() => speaker('a').registerHook(name as HookName, (() => {}) as never))).toBe(
        'INVALID_HOOK',
      )
    }
  })

  it('is registered once for each name', async () => {
    const a = speaker('a')
    const same = <Value>(value: Value) => value
    a.registerHook('processLastReceivedMessage', same)
    a.registerHook('processAllMessagesBeforeReply', same)
    expect(await codeOf(() => a.registerHook('processLastReceivedMessage', same))).toBe('INVALID_HOOK')
  })

  it('ends the conversation with what it throws', async () => {
    const b = mirror()
    b.registerHook('processLastReceivedMessage', () => Promise.reject(new Error('illegible')))
    await expect(speaker('a').initiateChat(b, { message: 'hello' })).rejects.toThrow('illegible')
  })
})
