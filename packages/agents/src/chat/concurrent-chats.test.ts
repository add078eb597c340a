import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { contentsOf, eventsOf, eventsOfType, historyOf, speaker } from '../agent/agents.fixture.ts'
import { initiateChats } from './chat-queue.ts'

/** Answers when as many of them as there are to be have been asked. */
function meeting(...names: string[]) {
  const everybody = Promise.withResolvers<void>()
  let asked = 0
  return names.map((name) =>
    speaker(name, async (turn) => {
      if (turn > 0) return null
      if (++asked === names.length) everybody.resolve()
      await everybody.promise
      return `${name}'s`
    }),
  )
}

describe('a queue that is held concurrently', () => {
  it('has conversations at the same time, and results in its own order', async () => {
    const a = speaker('a')
    const results = await a.initiateChats(
      meeting('b', 'c', 'd').map((recipient) => ({ recipient, message: 'x' })),
      { concurrently: true },
    )
    expect(results.map(({ summary }) => summary)).toEqual(["b's", "c's", "d's"])
    // Nobody has asked for a summary of another one.
    expect(results.map(({ messages }) => messages[0]?.content)).toEqual(['x', 'x', 'x'])
  })

  it('begins each when its prerequisites have ended, with their summaries', async () => {
    const a = speaker('a')
    const [b, c] = meeting('b', 'c') as [typeof a, typeof a]
    const [d, e] = [speaker('d', ["d's"]), speaker('e', ["e's"])]
    const chat = a.initiateChats(
      [
        { chatId: 'last', recipient: e, message: 'x', prerequisites: ['third', 2] },
        { chatId: 'third', recipient: d, message: 'x', prerequisites: [1, 2] },
        { chatId: 1, recipient: b, message: 'x' },
        { chatId: 2, recipient: c, message: 'x', carryover: 'own' },
      ],
      { concurrently: true },
    )
    const events = await eventsOf(chat)
    expect((await chat).map(({ messages }) => contentsOf(messages))).toEqual([
      ["x\nContext: \nd's\nc's", "e's"],
      ["x\nContext: \nb's\nc's", "d's"],
      ['x', "b's"],
      ['x\nContext: \nown', "c's"],
    ])
    const order = events.flatMap((event) =>
      event.type === 'chat-start' || event.type === 'chat-end' ? [`${event.type} ${event.recipient}`] : [],
    )
    expect(order.slice(0, 2).sort()).toEqual(['chat-start b', 'chat-start c'])
    expect(order.slice(2, 4).sort()).toEqual(['chat-end b', 'chat-end c'])
    expect(order.slice(4)).toEqual(['chat-start d', 'chat-end d', 'chat-start e', 'chat-end e'])
    expect(
      eventsOfType(events, 'chat-start')
        .map(({ queueIndex }) => queueIndex)
        .sort(),
    ).toEqual([0, 1, 2, 3])
  })

  it('names those that wait for each other', async () => {
    const [a, b] = [speaker('a'), speaker('b')]
    const entry = { sender: a, recipient: b, message: 'x' }
    const chat = initiateChats(
      [
        { ...entry, chatId: 'free' },
        { ...entry, chatId: 'hen', prerequisites: ['egg'] },
        { ...entry, chatId: 'egg', prerequisites: ['hen', 'free'] },
        { ...entry, prerequisites: ['egg'] },
      ],
      { concurrently: true },
    )
    await expect(chat).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      data: { option: 'prerequisites', chats: 'hen, egg, 3' },
    })
    expect(historyOf(b, a)).toEqual([])
  })

  it('ends all others when one fails, and tells why that one did', async () => {
    const begun = Promise.withResolvers<void>()
    const ended: string[] = []
    const a = speaker('a')
    const waiting = speaker('waiting')
    waiting.registerReply(
      () => true,
      async ({ chat }) => {
        begun.resolve()
        await once(chat.signal, 'abort')
        ended.push('waiting')
        throw chat.signal.reason
      },
    )
    const failing = speaker('failing', async () => {
      await begun.promise
      throw new Error('broken')
    })
    const behind = speaker('behind', ['unheard'])
    const chat = a.initiateChats(
      [
        { chatId: 1, recipient: waiting, message: 'x' },
        { chatId: 2, recipient: failing, message: 'x' },
        { recipient: behind, message: 'x', prerequisites: [1] },
        { recipient: speaker('further'), message: 'x', prerequisites: [2] },
      ],
      { concurrently: true },
    )
    await expect(chat).rejects.toThrow('broken')
    expect(ended).toEqual(['waiting'])
    expect(historyOf(behind, a)).toEqual([])
  })

  it('has a result for each when it is cancelled', async () => {
    const stop = new AbortController()
    const a = speaker('a')
    const b = speaker('b', () => {
      stop.abort()
      return 'unheard'
    })
    const c = speaker('c', ['unheard'])
    let isMade = false
    const results = await a.initiateChats(
      [
        { chatId: 1, recipient: b, message: 'x' },
        {
          recipient: c,
          prerequisites: [1],
          message: () => {
            isMade = true
            return 'x'
          },
        },
      ],
      { concurrently: true, signal: stop.signal },
    )
    expect(results.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    expect([historyOf(c, a), isMade]).toEqual([[], false])
  })
})
