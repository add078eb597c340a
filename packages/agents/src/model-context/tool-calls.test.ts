import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, textOf } from '../message/message.ts'
import { toolCallsOf, toolResponsesOf } from '../message/tool-parts.ts'
import {
  BufferedChatCompletionContext,
  HeadAndTailChatCompletionContext,
  TokenLimitedChatCompletionContext,
  UnboundedChatCompletionContext,
} from './contexts.ts'
import { histories } from './messages.fixture.ts'
import type { ModelContext } from './model-context.ts'

/** A limit, and how much of it messages take. */
interface Case {
  readonly make: (limit: number) => ModelContext
  readonly size: (messages: readonly Message[]) => number
  /** @param newest - how many messages cannot be parted from the newest. */
  readonly limit: (limit: number, newest: number) => number
}

const countTokens = (text: string) => text.length
const tokensOf = (message: Message) =>
  4 +
  (message.role === 'tool' ? 0 : textOf(message).length) +
  toolResponsesOf(message).reduce((sum, { content }) => sum + content.length, 0) +
  toolCallsOf(message).reduce((sum, { name, input }) => sum + name.length + JSON.stringify(input).length, 0)

const cases: [string, Case][] = [
  [
    'unbounded',
    {
      make: () => new UnboundedChatCompletionContext(),
      size: () => 0,
      limit: () => 0,
    },
  ],
  [
    'buffered',
    {
      make: (limit) => new BufferedChatCompletionContext({ bufferSize: limit }),
      size: (messages) => messages.length,
      limit: (limit) => limit,
    },
  ],
  [
    'head and tail',
    {
      make: (limit) => new HeadAndTailChatCompletionContext({ headSize: limit, tailSize: limit }),
      size: (messages) => messages.filter((message) => !isPlaceholder(message)).length,
      limit: (limit, newest) => limit + Math.max(limit, newest),
    },
  ],
  [
    'token-limited',
    {
      make: (limit) => new TokenLimitedChatCompletionContext({ tokenLimit: limit * 15, countTokens }),
      size: (messages) => messages.reduce((sum, message) => sum + tokensOf(message), 0),
      limit: (limit) => limit * 15,
    },
  ],
]

describe.each(cases)('the %s context, with any history', (_, { make, size, limit }) => {
  it('hands out calls with all their answers and answers with their calls, in order, the newest, within its limit', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.integer({ min: 1, max: 12 }), async (history, max) => {
        const context = make(max)
        for (const message of history) await context.add(message)
        const handedOut = (await context.messages()).filter((message) => !isPlaceholder(message))

        expect(history.filter((message) => handedOut.includes(message))).toEqual(handedOut)
        if (history.length > 0) expect(handedOut.at(-1)).toBe(history.at(-1))
        const kept = new Set(handedOut)
        for (const [called, answered] of pairsOf(history)) expect(kept.has(called)).toBe(kept.has(answered))
        const newest = withItsCalls(history)
        const isWithin = size(handedOut) <= limit(max, newest.length)
        if (!isWithin) expect(handedOut).toEqual(newest)
      }),
    )
  })
})

function isPlaceholder(message: Message): boolean {
  return textOf(message).endsWith('left out here.)')
}

/** Who calls, and who answers. In these histories every id is used once. */
function pairsOf(history: readonly Message[]): [Message, Message][] {
  return history.flatMap((answered, index) =>
    toolResponsesOf(answered).flatMap(({ toolCallId }): [Message, Message][] => {
      const called = history
        .slice(0, index)
        .find((message) => toolCallsOf(message).some(({ id }) => id === toolCallId))
      return called === undefined ? [] : [[called, answered]]
    }),
  )
}

/** The newest message, and all that cannot be parted from it. */
function withItsCalls(history: readonly Message[]): Message[] {
  const found = new Set(history.slice(-1))
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const pair of pairsOf(history)) {
      if (pair.some((message) => found.has(message))) for (const message of pair) found.add(message)
    }
  }
  return history.filter((message) => found.has(message))
}
