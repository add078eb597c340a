import { describe, expect, it } from 'vitest'
import { partsOf } from './agent-parts.ts'
import { codeOf, endless, speaker } from './agents.fixture.ts'

const talkative = (name: string, maxConsecutiveAutoReply?: number) =>
  speaker(name, endless(name), { maxConsecutiveAutoReply })

describe('maxConsecutiveAutoReply', () => {
  it.each([
    [0, 1],
    [1, 3],
    [2, 5],
  ])('%i ends a conversation after %i messages', async (maximum, messages) => {
    const result = await talkative('a').initiateChat(talkative('b', maximum), { message: 'begin' })
    expect(result.messages).toHaveLength(messages)
  })

  it('is 100 unless somebody says otherwise', () => {
    expect(speaker('a').maxConsecutiveAutoReply()).toBe(100)
  })

  it('is counted again in each conversation', async () => {
    const [a, b] = [talkative('a'), talkative('b', 2)]
    for (let round = 0; round < 3; round++) {
      expect((await a.initiateChat(b, { message: 'begin' })).messages).toHaveLength(5)
    }
  })

  it('is counted for each partner alone', async () => {
    const b = talkative('b', 2)
    const partners = ['x', 'y'].map((name) => talkative(name))
    for (const partner of partners) {
      expect((await partner.initiateChat(b, { message: 'begin' })).messages).toHaveLength(5)
    }
  })

  it('is counted over messages outside of a conversation, until the counter is reset', async () => {
    const [a, b] = [speaker('a'), talkative('b', 2)]
    const answered = async () => {
      await a.send('hello', b, { requestReply: true })
      return b.lastMessage(a)?.content === 'b'
    }
    expect([await answered(), await answered(), await answered()]).toEqual([true, true, false])
    // Reaching the limit begins the count again.
    expect(partsOf(b).conversations.with(a).autoReplies).toBe(0)
    expect([await answered(), await answered()]).toEqual([true, true])
    b.resetConsecutiveAutoReplyCounter(a)
    expect([await answered(), await answered(), await answered()]).toEqual([true, true, false])
  })

  it('can be another one for one partner, for all of them, and for those that come', async () => {
    const [known, other, unknown] = ['known', 'other', 'unknown'].map((name) => talkative(name)) as [
      ReturnType<typeof talkative>,
      ReturnType<typeof talkative>,
      ReturnType<typeof talkative>,
    ]
    const b = talkative('b', 2)
    await known.initiateChat(b, { message: 'begin' })
    b.updateMaxConsecutiveAutoReply(1, known)
    const limits = () => [undefined, known, other, unknown].map((one) => b.maxConsecutiveAutoReply(one))
    expect(limits()).toEqual([2, 1, 2, 2])
    expect((await known.initiateChat(b, { message: 'begin' })).messages).toHaveLength(3)
    expect((await other.initiateChat(b, { message: 'begin' })).messages).toHaveLength(5)
    b.updateMaxConsecutiveAutoReply(0)
    expect(limits()).toEqual([0, 0, 0, 0])
    expect((await unknown.initiateChat(b, { message: 'begin' })).messages).toHaveLength(1)
  })

  it('is set for somebody whom the agent has not spoken with, without a conversation', async () => {
    const [a, b] = [talkative('a'), talkative('b')]
    b.updateMaxConsecutiveAutoReply(1, a)
    expect([...b.chatMessages.keys()]).toEqual([])
    expect((await a.initiateChat(b, { message: 'begin' })).messages).toHaveLength(3)
  })

  it.each([-1, 1.5, Number.NaN, '3' as never])('cannot become %s', async (count) => {
    const agent = talkative('a', 7)
    expect(await codeOf(() => agent.updateMaxConsecutiveAutoReply(count))).toBe('INVALID_OPTIONS')
    expect(agent.maxConsecutiveAutoReply()).toBe(7)
  })
})

describe('stopReplyAtReceive', () => {
  it('lets messages of one partner be unanswered, until a conversation begins', async () => {
    const [a, b] = [talkative('a', 1), talkative('b', 1)]
    const heard = async () => {
      await a.send('hello', b)
      return b.lastMessage(a)?.content
    }
    expect(await heard()).toBe('hello')
    await a.initiateChat(b, { message: 'begin' })
    b.resetConsecutiveAutoReplyCounter()
    b.stopReplyAtReceive(a)
    expect(await heard()).toBe('hello')
    await a.initiateChat(b, { message: 'begin' })
    expect(b.lastMessage(a)?.content).not.toBe('begin')
  })

  it('of all partners means those that come as well', async () => {
    const [a, b, c] = [talkative('a'), talkative('b', 1), talkative('c')]
    await a.initiateChat(b, { message: 'begin', maxTurns: 1 })
    b.stopReplyAtReceive()
    for (const partner of [a, c]) {
      await partner.send('hello', b)
      expect(b.lastMessage(partner)?.content).toBe('hello')
    }
  })

  it('does not hold against somebody who asks for an answer', async () => {
    const [a, b] = [speaker('a'), talkative('b')]
    b.stopReplyAtReceive()
    await a.send('hello', b, { requestReply: true })
    expect(b.lastMessage(a)?.content).toBe('b')
  })

  it('ends a conversation in the middle', async () => {
    const b = speaker('b', (turn, { sender }) => {
      if (turn === 1 && sender !== undefined) b.stopReplyAtReceive(sender)
      return 'b'
    })
    const result = await talkative('a').initiateChat(b, { message: 'begin' })
    expect(result.messages).toHaveLength(5)
    expect(result.stopReason).toBe('b does not answer a.')
  })
})
