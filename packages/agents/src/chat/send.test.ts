import { describe, expect, it } from 'vitest'
import { codeOf, contentsOf, endless, eventsOf, historyOf, speaker } from '../agent/agents.fixture.ts'
import type { MessageInput } from '../message/message.ts'

describe('send', () => {
  it.each<[string, MessageInput, object]>([
    ['a text', 'hello', { content: 'hello', source: 'a' }],
    [
      'a message',
      { content: 'hello', metadata: { k: 1 } },
      { content: 'hello', source: 'a', metadata: { k: 1 } },
    ],
    [
      'a message under another name',
      { content: 'hello', source: 'boss' },
      { content: 'hello', source: 'boss' },
    ],
  ])('hands %s over', async (_, message, kept) => {
    const [a, b] = [speaker('a'), speaker('b')]
    await a.send(message, b)
    expect(historyOf(a, b)).toMatchObject([{ role: 'assistant', ...kept }])
    expect(historyOf(b, a)).toEqual([{ ...historyOf(a, b)[0], role: 'user' }])
  })

  it('refuses what is no message, and nothing is kept', async () => {
    const [a, b] = [speaker('a'), speaker('b')]
    expect(await codeOf(() => a.send({ text: 'hello' } as never, b))).toBe('INVALID_MESSAGE')
    expect([historyOf(a, b), historyOf(b, a)]).toEqual([[], []])
  })

  it('is answered where that is asked for, and the answer is not', async () => {
    const [a, b] = [speaker('a', endless('more')), speaker('b', endless('answer'))]
    await a.send('hello', b)
    expect(contentsOf(historyOf(a, b))).toEqual(['hello'])
    await a.send('hello again', b, { requestReply: true })
    expect(contentsOf(historyOf(a, b))).toEqual(['hello', 'hello again', 'answer'])
    await a.send('not now', b, { requestReply: false })
    expect(contentsOf(historyOf(a, b)).at(-1)).toBe('not now')
  })

  it('goes on with a conversation that there was', async () => {
    const [a, b] = [speaker('a', ['more']), speaker('b', endless('answer'))]
    await a.initiateChat(b, { message: 'begin' })
    await a.send('one thing', b)
    expect(contentsOf(historyOf(a, b)).slice(-2)).toEqual(['one thing', 'answer'])
  })

  it('tells its messages as events, and no other conversation', async () => {
    const [a, b] = [speaker('a'), speaker('b', ['answer'])]
    expect(await eventsOf(a.send('hello', b, { requestReply: true }))).toMatchObject([
      {
        type: 'message',
        agent: 'a',
        recipient: 'b',
        message: { role: 'assistant', content: 'hello', source: 'a' },
      },
      {
        type: 'message',
        agent: 'b',
        recipient: 'a',
        message: { role: 'assistant', content: 'answer', source: 'b' },
      },
    ])
  })

  it('says nothing when its signal is aborted before', async () => {
    const [a, b] = [speaker('a'), speaker('b')]
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(a.send('hello', b, { signal })).rejects.toThrow('too late')
    expect(historyOf(b, a)).toEqual([])
  })
})
