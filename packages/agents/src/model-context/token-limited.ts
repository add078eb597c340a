import { type ComponentConfig, FencedError, type ToConfigOptions } from '@fenced/core'
import { z } from '@fenced/core/zod'
import { configOfOptions } from '../component/component-kind.ts'
import { interruptionOf, type Message, textOf } from '../message/message.ts'
import { outputText, toolCallsOf, toolResultsOf } from '../message/tool-parts.ts'
import {
  BaseModelContext,
  type ContextOptions,
  contextOptionsShape,
  groupToolMessages,
} from './model-context.ts'

export const tokenLimitedContextOptionsSchema = z.strictObject({
  ...contextOptionsShape,
  tokenLimit: z.int().positive(),
  countTokens: z
    .custom<CountTokens>((value) => typeof value === 'function', 'must be a function')
    .default(() => estimateTokens),
})

/** Options of {@link TokenLimitedChatCompletionContext}. */
export interface TokenLimitedContextOptions extends ContextOptions {
  /** Maximum number of tokens in the messages. Instructions and tools are not counted. */
  readonly tokenLimit: number
  /**
   * Counts the tokens in a text with your model's tokenizer, such as `countTokens` from `gpt-tokenizer`, or
   * `(text) => encoding.encode(text).length` with `js-tiktoken`. Each message counts 4 additional tokens for its envelope.
   *
   * @default an estimate, the number of bytes divided by three
   */
  readonly countTokens?: CountTokens | undefined
}

/**
 * Lets a model read the messages that fit in a number of tokens. Messages are left out from the middle, and tool calls together
 * with their results. The newest message is always included with the call that it answers, even if it exceeds the limit: the
 * model's provider then reports the error.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TokenLimitedChatCompletionContext extends BaseModelContext<
  typeof tokenLimitedContextOptionsSchema
> {
  static readonly provider: string = 'TokenLimitedChatCompletionContext'
  readonly #count: TokenCount

  constructor(options: TokenLimitedContextOptions) {
    super(tokenLimitedContextOptionsSchema, options)
    this.#count = new TokenCount(this.options.countTokens)
  }

  override toConfig(options?: ToConfigOptions): ComponentConfig {
    const { countTokens, ...limits } = this.options
    // Our own estimate is the default, which a config need not name.
    return configOfOptions(this, options, countTokens === estimateTokens ? limits : this.options)
  }

  protected async select(messages: readonly Message[]): Promise<readonly Message[]> {
    const tokens: number[] = []
    for (const message of messages) tokens.push(await this.#count.of(message))
    const sum = (positions: readonly number[]) =>
      positions.reduce((total, position) => total + (tokens[position] ?? 0), 0)
    const groups = [...groupToolMessages(messages)]
    let total = sum([...tokens.keys()])
    while (total > this.options.tokenLimit && groups.length > 1) {
      // Of two it is the older one.
      const [left = []] = groups.splice(Math.floor((groups.length - 1) / 2), 1)
      total -= sum(left)
    }
    const chosen = new Set(groups.flat())
    return messages.filter((_, position) => chosen.has(position))
  }
}

/** Returns the number of tokens in a text. */
export type CountTokens = (text: string) => number | Promise<number>

/** What providers put around a message. */
const tokensPerMessage = 4

/** Counts the tokens of messages, each message once. */
class TokenCount {
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
    message: `countTokens returned ${tokens}. It must return a finite number that is at least 0.`,
    data: { value: `${tokens}` },
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
