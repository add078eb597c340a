import { FencedError } from '@fenced/core'
import { interruptionOf, type Message, textOf } from '../message/message.ts'
import { outputText, toolCallsOf, toolResultsOf } from '../message/tool-parts.ts'

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number | Promise<number>

/** What providers put around a message. */
const tokensPerMessage = 4

/** Counts the tokens of messages, each message once. */
export class TokenCount {
  readonly #countTokens: CountTokens
  readonly #known = new WeakMap<Message, number>()

  constructor(countTokens: CountTokens) {
    this.#countTokens = countTokens
  }

  /** @throws FencedError `INVALID_TOKEN_COUNT`; what the function throws that counts. */
  async of(message: Message): Promise<number> {
    const known = this.#known.get(message)
    if (known !== undefined) return known
    let tokens = tokensPerMessage
    for (const text of textsOf(message)) tokens += checked(await this.#countTokens(text))
    this.#known.set(message, tokens)
    return tokens
  }
}

/** What a model reads of a message. */
function textsOf(message: Message): string[] {
  const { role, source, content } = message
  const calls = toolCallsOf(message).flatMap((call) => [call.name, JSON.stringify(call.input) ?? ''])
  const parts = role === 'assistant' && typeof content !== 'string' ? content : []
  const thoughts = parts.map((part) => (part.type === 'reasoning' ? part.text : ''))
  // A model reads the names of the others.
  const name = role === 'user' && source !== 'user' ? source : ''
  const answers = toolResultsOf(message).map(({ output }) => outputText(output))
  const said = role === 'tool' ? [interruptionOf(message) ?? '', ...answers] : [textOf(message)]
  return [...said, name, ...calls, ...thoughts].filter((text) => text !== '')
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
