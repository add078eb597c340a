import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentsOf, eventsOf, eventsOfType, historyOf, speaker } from '../../src/agent/agents.fixture.ts'
import type { ConversableAgent } from '../../src/conversable-agent/conversable-agent.ts'
import { EchoExecutor, fence } from '../../src/reply/echo-executor.fixture.ts'

/** Answers what it is told, some time later. */
const echo = (name: string, delays: readonly number[] = [], options = {}) =>
  speaker(
    name,
    async (turn, { messages, sender }) => {
      await sleep(delays[turn % delays.length] ?? 0)
      return `${name} to ${sender?.name}: ${messages.length}`
    },
    options,
  )

describe('one agent in 20 conversations at once', () => {
  it('does not mix them', async () => {
    const hub = echo('hub', [3, 0, 7, 1])
    const partners = Array.from({ length: 20 }, (_, n) => echo(`p${n}`, [n % 5, (n * 7) % 3]))
    const chats = partners.map((partner, n) =>
      n % 2 === 0
        ? partner.initiateChat(hub, { message: 'begin', maxTurns: 5 })
        : hub.initiateChat(partner, { message: 'begin', maxTurns: 5 }),
    )
    const events = await Promise.all(chats.map((chat) => eventsOf(chat)))
    for (const [n, partner] of partners.entries()) {
      const [first, second] = n % 2 === 0 ? [partner, hub] : [hub, partner]
      const expected = Array.from({ length: 10 }, (_, index) => {
        const [from, to] = index % 2 === 0 ? [first, second] : [second, first]
        return index === 0 ? 'begin' : `${from.name} to ${to.name}: ${index}`
      })
      expect(contentsOf(historyOf(hub, partner))).toEqual(expected)
      expect(contentsOf(historyOf(partner, hub))).toEqual(expected)
      const told = eventsOfType(events[n] ?? [], 'message').map(({ message }) => message.content)
      expect(told).toEqual(expected)
    }
  })

  it('counts for each of them alone', async () => {
    const hub = echo('hub', [1], { maxConsecutiveAutoReply: 3 })
    const chats = Array.from({ length: 20 }, (_, n) => echo(`p${n}`).initiateChat(hub, { message: 'begin' }))
    const lengths = (await Promise.all(chats)).map(({ messages }) => messages.length)
    expect(lengths).toEqual(Array.from({ length: 20 }, () => 7))
  })

  it('runs the code of each, one after the other, and answers the one who sent it', async () => {
    const executor = new EchoExecutor()
    const hub = speaker('hub', [], { codeExecutionConfig: { executor } })
    const chats = Array.from({ length: 20 }, (_, n) =>
      speaker(`p${n}`).initiateChat(hub, { message: fence('python', `code ${n}`) }),
    )
    const answers = (await Promise.all(chats)).map(({ messages }) => messages[1]?.content)
    expect(answers).toEqual(
      Array.from({ length: 20 }, (_, n) => `exitcode: 0 (execution succeeded)\nCode output: \ncode ${n}\n`),
    )
    expect(new Set(executor.ran).size).toBe(20)
  })

  it('goes on with the others when one is cancelled', async () => {
    const hub = echo('hub', [1])
    const stop = new AbortController()
    const chats = Array.from({ length: 20 }, (_, n) =>
      speaker(`p${n}`, (turn) => {
        if (n === 7 && turn === 2) stop.abort()
        return 'more'
      }).initiateChat(hub, { message: 'begin', maxTurns: 10, ...(n === 7 && { signal: stop.signal }) }),
    )
    const statuses = (await Promise.all(chats)).map(({ status }) => status)
    expect(statuses.flatMap((status, n) => (status === 'cancelled' ? [n] : []))).toEqual([7])
  })
})

type Move = 'say' | 'say later' | 'send code' | 'end' | 'terminate' | 'say good-bye'

/** Says what its moves say, again and again. */
function player(name: string, moves: readonly Move[], limit: number): ConversableAgent {
  const agent = speaker(name, [], {
    maxConsecutiveAutoReply: limit,
    codeExecutionConfig: { executor: new EchoExecutor() },
  })
  let turn = 0
  agent.registerReply(
    () => true,
    async () => {
      const move = moves[turn++ % moves.length] ?? 'say'
      if (move === 'say later') await sleep(1)
      if (move === 'end') return { reply: null }
      if (move === 'terminate') return { reply: `That is all.\nTERMINATE` }
      if (move === 'say good-bye') return { reply: 'Good-bye.', endsChat: 'It was said.' }
      return {
        reply: move === 'send code' ? `${name} has code: ${fence('python', `${turn}`)}` : `${name} ${turn}`,
      }
    },
    { position: 3 },
  )
  return agent
}

const moves = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Move>('say', 'say later', 'send code') },
    { weight: 1, arbitrary: fc.constantFrom<Move>('end', 'terminate', 'say good-bye') },
  ),
  { minLength: 1, maxLength: 6 },
)
const conversation = fc.record({
  first: moves,
  second: moves,
  limits: fc.tuple(fc.nat(6), fc.nat(6)),
  maxTurns: fc.option(fc.nat(6), { nil: undefined }),
})

describe('any conversation', () => {
  it('ends within its bounds, its speakers take turns, and both keep the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(conversation, { minLength: 1, maxLength: 4 }), async (games) => {
        // All of them at once, and the same agent begins them.
        const a = player('a', games[0]?.first ?? [], games[0]?.limits[0] ?? 0)
        await Promise.all(
          games.map(async ({ second, limits, maxTurns }, n) => {
            const b = player(`b${n}`, second, limits[1])
            const result = await a.initiateChat(b, { message: 'begin', maxTurns })
            const [mine, theirs] = [historyOf(a, b), historyOf(b, a)]
            expect(result.status).toBe('done')
            expect(result.messages).toEqual(mine)
            expect(mine.length).toBeLessThanOrEqual(2 * (maxTurns ?? Number.POSITIVE_INFINITY))
            expect(mine.length).toBeLessThanOrEqual(1 + (games[0]?.limits[0] ?? 0) + limits[1])
            expect(mine.map(({ source }) => source)).toEqual(
              mine.map((_, index) => (index % 2 === 0 ? 'a' : `b${n}`)),
            )
            expect(mine.map(({ role }) => role)).toEqual(
              mine.map((_, index) => (index % 2 === 0 ? 'assistant' : 'user')),
            )
            const mirrored = mine.map(({ role, ...rest }) => ({
              ...rest,
              role: role === 'user' ? 'assistant' : 'user',
            }))
            expect(theirs).toEqual(mirrored)
          }),
        )
      }),
      { numRuns: 150 },
    )
  })
})
