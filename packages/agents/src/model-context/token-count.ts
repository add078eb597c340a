import { FencedError } from '@fenced/core'
import type { ChatMessage } from '../message/chat-message.ts'

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number | Promise<number>

/** What providers put around a message. */
const tokensPerMessage = 4

/** Counts the tokens of messages, each message once. */
export class TokenCount {
  readonly #countTokens: CountTokens
  readonly #known = new WeakMap<ChatMessage, number>()

  constructor(countTokens: CountTokens) {
    this.#countTokens = countTokens
  }

  /** @throws FencedError `INVALID_TOKEN_COUNT`; what the function throws that counts. */
  async of(message: ChatMessage): Promise<number> {
    const known = this.#known.get(message)
    if (known !== undefined) return known
    let tokens = tokensPerMessage
    for (const text of textsOf(message)) tokens += checked(await this.#countTokens(text))
    this.#known.set(message, tokens)
    return tokens
  }
}

/** What a model reads of a message. */
function textsOf({
  content,
  name = '',
  toolCalls = [],
  toolResponses = [],
  parts = [],
}: ChatMessage): string[] {
  const answers = toolResponses.map((response) => response.content)
  // Most messages with answers hold them once more as their text.
  const said = content === answers.join('\n\n') ? '' : content
  const calls = toolCalls.flatMap((call) => [call.name, JSON.stringify(call.input) ?? ''])
  const thoughts = parts.map((part) => (part.type === 'reasoning' ? part.text : ''))
  return [said, name, ...calls, ...answers, ...thoughts].filter((text) => text !== '')
}

function checked(tokens: number): number {
  if (Number.isFinite(tokens) && tokens >= 0) return tokens
  throw new FencedError({
    code: 'INVALID_TOKEN_COUNT',
    message: `countTokens gave ${tokens}; it must give a number from 0.`,
  })
}

const bytesPerToken = 3

/**
 * How many tokens a text has, more or less: its bytes in UTF-8, divided by three. That is some more than tokenizers count
 * for English and for code, and about as much for languages with one token for a character.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}
