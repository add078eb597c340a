import { describe, expect, it } from 'vitest'
import type { ChatQueueEntry } from '../agent/agent.ts'
import { codeOf, contentsOf, eventsOf, eventsOfType, historyOf, speaker } from '../agent/agents.fixture.ts'
import { initiateChats } from './chat-queue.ts'

const answering = (...names: string[]) => names.map((name) => speaker(name, [`${name}'s`]))

describe('a queue of chats', () => {
  it('CA-71: is held one after the other, each with the summaries of all before', async () => {
    const a = speaker('a')
    const recipients = answering('b', 'c', 'd')
    const results = await a.initiateChats(
      recipients.map((recipient, index) => ({
        recipient,
        message: `question ${index}`,
        ...(index === 2 ? { carryover: 'own' } : {}),
      })),
    )
    expect(results.map(({ messages }) => messages[0]?.content)).toEqual([
      'question 0',
      "question 1\nContext: \nb's",
      "question 2\nContext: \nown\nb's\nc's",
    ])
    expect(results.map(({ summary }) => summary)).toEqual(["b's", "c's", "d's"])
  })

  it('CA-71: leaves out what an entry does not want to know', async () => {
    const a = speaker('a')
    const [first, second, third] = await a.initiateChats(
      answering('b', 'c', 'd').map((recipient, index) => ({
        recipient,
        message: 'question',
        finishedChatIndexesToExcludeFromCarryover: [[], [0], [1, 7]][index] ?? [],
      })),
    )
    expect([first, second, third].map((result) => result?.messages[0]?.content)).toEqual([
      'question',
      'question',
      "question\nContext: \nb's",
    ])
  })

  it('is begun by whom each entry names, or by the agent that has the queue', async () => {
    const [a, other] = [speaker('a'), speaker('other')]
    const [b, c, d] = answering('b', 'c', 'd') as [typeof a, typeof a, typeof a]
    await a.initiateChats([
      { recipient: b, message: 'x' },
      { sender: other, recipient: c, message: 'x' },
      { sender: undefined, recipient: d, message: 'x' },
    ])
    expect([...a.chatMessages.keys()]).toEqual([b, d])
    expect([...other.chatMessages.keys()]).toEqual([c])
  })

  it('may name the same recipient again, who begins again or goes on', async () => {
    const a = speaker('a')
    const b = speaker('b', ['one', null, 'two', null, 'three'])
    const results = await a.initiateChats([
      { recipient: b, message: 'x', maxTurns: 1 },
      { recipient: b, message: 'y' },
      { recipient: b, message: 'z', clearHistory: false, maxTurns: 1 },
    ])
    expect(results.map(({ messages }) => messages.length)).toEqual([2, 1, 3])
  })

  it('tells its place in the queue', async () => {
    const chat = speaker('a').initiateChats(
      answering('b', 'c').map((recipient) => ({ recipient, message: 'x' })),
    )
    const starts = eventsOfType(await eventsOf(chat), 'chat-start')
    expect(starts.map(({ recipient, queueIndex }) => [recipient, queueIndex])).toEqual([
      ['b', 0],
      ['c', 1],
    ])
  })

  it('may be empty', async () => {
    expect(await initiateChats([])).toEqual([])
    expect(await initiateChats([], { concurrently: true })).toEqual([])
  })

  it('ends with the first that fails', async () => {
    const [a, b, c] = [speaker('a'), speaker('b', () => Promise.reject(new Error('broken'))), speaker('c')]
    const chat = a.initiateChats([
      { recipient: b, message: 'x' },
      { recipient: c, message: 'x' },
    ])
    await expect(chat).rejects.toThrow('broken')
    expect(historyOf(c, a)).toEqual([])
  })

  it('ends with the one in which it is cancelled', async () => {
    const stop = new AbortController()
    const a = speaker('a')
    const b = speaker('b', () => {
      stop.abort()
      return 'never heard'
    })
    const c = speaker('c')
    const results = await a.initiateChats(
      [b, c].map((recipient) => ({ recipient, message: 'x' })),
      { signal: stop.signal },
    )
    expect(results.map(({ status, messages }) => [status, contentsOf(messages)])).toEqual([
      ['cancelled', ['x']],
    ])
  })

  const a = speaker('a')
  const wrong: [string, Partial<ChatQueueEntry>, boolean][] = [
    ['no sender', { sender: undefined }, false],
    ['no recipient', { recipient: undefined as never }, false],
    ['an option that nobody knows', { max_turns: 2 } as never, false],
    ['a summary that nobody can make', { summaryMethod: 'reflection_with_llm' }, false],
    ['no sender', { sender: undefined, prerequisites: ['first'] }, true],
    ['an unknown chatId as prerequisite', { prerequisites: ['nobody'] }, true],
    ['a chatId that there is already', { chatId: 'first' }, true],
    ['itself as prerequisite', { chatId: 'second', prerequisites: ['second'] }, true],
  ]
  it('with a wrong entry is refused before the first word', ({ everyRow }) =>
    everyRow(wrong, async (_, entry, concurrently) => {
      const b = speaker('b', ['answer'])
      const queue = [
        { sender: a, recipient: b, message: 'x', chatId: 'first' },
        { sender: a, recipient: speaker('c'), message: 'x', ...entry },
      ]
      expect(await codeOf(() => initiateChats(queue as ChatQueueEntry[], { concurrently }))).toBe(
        'INVALID_OPTIONS',
      )
      expect(historyOf(b, a)).toEqual([])
    }))
})
