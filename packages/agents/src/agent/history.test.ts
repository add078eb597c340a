import { describe, expect, it } from 'vitest'
import { answering, asking } from '../message/messages.fixture.ts'
import { codeOf, contentsOf, endless, historyOf, speaker } from './agents.fixture.ts'

async function spoken(turns = 2) {
  const [a, b] = [speaker('a', endless('from a')), speaker('b', endless('from b'))]
  await a.initiateChat(b, { message: 'begin', maxTurns: turns })
  return { a, b }
}

describe('the history of an agent', () => {
  it('has its own words as assistant and those of the other one as user', async () => {
    const { a, b } = await spoken(1)
    expect(historyOf(a, b)).toMatchObject([
      { role: 'assistant', content: 'begin', source: 'a' },
      { role: 'user', content: 'from b', source: 'b' },
    ])
    expect(historyOf(b, a)).toMatchObject([
      { role: 'user', content: 'begin', source: 'a' },
      { role: 'assistant', content: 'from b', source: 'b' },
    ])
  })

  it('is apart for each partner', async () => {
    const { a, b } = await spoken()
    const c = speaker('c', ['from c'])
    await a.initiateChat(c, { message: 'hello', maxTurns: 1 })
    expect(contentsOf(historyOf(a, b))).toEqual(['begin', 'from b', 'from a', 'from b'])
    expect(contentsOf(historyOf(a, c))).toEqual(['hello', 'from c'])
    expect([...a.chatMessages.keys()]).toEqual([b, c])
  })

  it('does not change when what was given out of it is changed', async () => {
    const { a, b } = await spoken()
    const given = a.chatMessages.get(b) as unknown[]
    given.length = 0
    expect(historyOf(a, b)).toHaveLength(4)
  })

  it('begins again with each conversation, or goes on with clearHistory: false', async () => {
    const { a, b } = await spoken()
    const other = await a.initiateChat(b, { message: 'again', maxTurns: 1 })
    expect(contentsOf(other.messages)).toEqual(['again', 'from b'])
    const third = await a.initiateChat(b, { message: 'and again', maxTurns: 1, clearHistory: false })
    expect(contentsOf(third.messages)).toEqual(['again', 'from b', 'and again', 'from b'])
    expect(historyOf(b, a)).toHaveLength(4)
    expect(contentsOf(other.messages)).toEqual(['again', 'from b'])
  })
})

describe('the last message', () => {
  it('is the one of the only partner, or of the one that is named', async () => {
    const { a, b } = await spoken()
    expect(a.lastMessage()?.content).toBe('from b')
    expect(a.lastMessage(b)?.content).toBe('from b')
  })

  it('is none where nobody has spoken', async () => {
    expect(speaker('a').lastMessage()).toBeUndefined()
  })

  it('is asked for with a name where there are several partners', async () => {
    const { a, b } = await spoken()
    const c = speaker('c', ['from c'])
    await a.initiateChat(c, { message: 'hello', maxTurns: 1 })
    expect(() => a.lastMessage()).toThrow(
      expect.objectContaining({ code: 'SEVERAL_PARTNERS', data: { agent: 'a', partners: 'b, c' } }),
    )
    expect([a.lastMessage(b)?.content, a.lastMessage(c)?.content]).toEqual(['from b', 'from c'])
  })

  it('is an error with somebody whom the agent has not spoken with', async () => {
    const { a } = await spoken()
    expect(await codeOf(() => a.lastMessage(speaker('stranger')))).toBe('UNKNOWN_PARTNER')
  })

  it('does not know of partners with whom nothing was said, or of whom nothing is left', async () => {
    const { a, b } = await spoken()
    const stranger = speaker('stranger')
    await a.generateReply({ sender: stranger, messages: [{ role: 'user', content: 'hello' }] })
    await a.generateReply({ sender: stranger })
    a.clearHistory(stranger)
    a.stopReplyAtReceive(stranger)
    a.resetConsecutiveAutoReplyCounter(stranger)
    a.updateMaxConsecutiveAutoReply(3, stranger)
    expect([...a.chatMessages.keys()]).toEqual([b])
    expect(a.lastMessage()?.content).toBe('from b')
    expect(await codeOf(() => a.lastMessage(stranger))).toBe('UNKNOWN_PARTNER')
    a.clearHistory()
    expect([...a.chatMessages.keys()]).toEqual([])
    expect(a.lastMessage()).toBeUndefined()
  })
})

describe('clearHistory', () => {
  it('forgets one partner, or all of them', async () => {
    const { a, b } = await spoken()
    const c = speaker('c', ['from c'])
    await a.initiateChat(c, { message: 'hello', maxTurns: 1 })
    a.clearHistory(b)
    expect([historyOf(a, b).length, historyOf(a, c).length, historyOf(b, a).length]).toEqual([0, 2, 4])
    a.clearHistory()
    expect(historyOf(a, c)).toEqual([])
  })

  it.each([
    [0, []],
    [1, ['from b']],
    [3, ['from b', 'from a', 'from b']],
    [4, ['begin', 'from b', 'from a', 'from b']],
    [5, ['begin', 'from b', 'from a', 'from b']],
    [100, ['begin', 'from b', 'from a', 'from b']],
  ])('keeps the newest %i messages', async (preserve, left) => {
    for (const named of [true, false]) {
      const { a, b } = await spoken()
      a.clearHistory(named ? b : undefined, { preserve })
      expect(contentsOf(historyOf(a, b))).toEqual(left)
    }
  })

  it.each([
    [1, ['answer', 'thanks'].slice(1)],
    [2, ['call', 'answer', 'thanks']],
    [3, ['call', 'answer', 'thanks']],
    [4, ['begin', 'call', 'answer', 'thanks']],
  ])('keeps %i messages, and the calls to which the oldest of them is the answer', async (preserve, left) => {
    const a = speaker('a', [answering({ toolCallId: '1', name: 'x', content: 'answer' })])
    const b = speaker('b', [asking('call', { id: '1', name: 'x', input: {} }), 'thanks'])
    a.replaceReplyFunction(
      (await import('../reply/generate-tool-calls-reply.ts')).generateToolCallsReply,
      () => undefined,
    )
    await a.initiateChat(b, { message: 'begin' })
    a.clearHistory(b, { preserve })
    expect(contentsOf(historyOf(a, b))).toEqual(left)
  })
})

describe('reset', () => {
  it('forgets conversations and whom to answer', async () => {
    const { a, b } = await spoken()
    b.reset()
    expect([...b.chatMessages.keys()]).toEqual([])
    expect(historyOf(a, b)).toHaveLength(4)
    await a.send('hello', b)
    expect(contentsOf(historyOf(b, a))).toEqual(['hello'])
  })

  it('keeps limits and descriptions', () => {
    const a = speaker('a', [], { maxConsecutiveAutoReply: 3, description: 'it is a' })
    a.updateSystemMessage('You are a.')
    a.reset()
    expect([a.maxConsecutiveAutoReply(), a.description, a.systemMessage]).toEqual([
      3,
      'it is a',
      'You are a.',
    ])
  })
})
