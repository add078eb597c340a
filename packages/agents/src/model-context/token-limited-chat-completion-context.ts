import type { ComponentConfig, ToConfigOptions } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { configOfOptions } from '../configuration/kind-of.ts'
import type { Message } from '../message/message.ts'
import { KeptMessages, linkedMessages } from './kept-messages.ts'
import { type ContextOptions, contextOptionsShape } from './model-context.ts'
import { type CountTokens, estimateTokens, TokenCount } from './token-count.ts'

export const tokenLimitedContextOptionsSchema = z.strictObject({
  ...contextOptionsShape,
  tokenLimit: z.int().positive(),
  countTokens: z
    .custom<CountTokens>((value) => typeof value === 'function', 'must be a function')
    .default(() => estimateTokens),
})

/** Options of {@link TokenLimitedChatCompletionContext}. */
export interface TokenLimitedContextOptions extends ContextOptions {
  /** How many tokens the messages hold at most. Instructions and tools are not counted. */
  readonly tokenLimit: number
  /**
   * Counts the tokens of a text, with the tokenizer of your model: `countTokens` of `gpt-tokenizer`,
   * `(text) => encoding.encode(text).length` of `js-tiktoken`. Every message counts 4 more for what is put around it.
   * Default: an estimate, the bytes of the text divided by three.
   */
  readonly countTokens?: CountTokens | undefined
}

/**
 * Lets a model read as much as a number of tokens allows: messages are left out from the middle, a call of a tool together
 * with its answers. The newest message, with the call that it answers, is always in it, also where it is longer than the
 * limit by itself: then the model's provider says that it is too long, and no model answers to something else.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class TokenLimitedChatCompletionContext extends KeptMessages {
  static readonly provider: string = 'TokenLimitedChatCompletionContext'
  readonly options: z.output<typeof tokenLimitedContextOptionsSchema>
  readonly #count: TokenCount

  constructor(options: TokenLimitedContextOptions) {
    const checked = parseOptions(
      tokenLimitedContextOptionsSchema,
      options,
      'TokenLimitedChatCompletionContext',
    )
    super(checked.initialMessages)
    this.options = checked
    this.#count = new TokenCount(checked.countTokens)
  }

  override toConfig(options?: ToConfigOptions): ComponentConfig {
    const { countTokens, ...limits } = this.options
    // Our own estimate is a function as well, and needs not be told.
    return configOfOptions(this, options, countTokens === estimateTokens ? limits : this.options)
  }

  protected async choose(messages: readonly Message[]): Promise<readonly Message[]> {
    const tokens: number[] = []
    for (const message of messages) tokens.push(await this.#count.of(message))
    const sum = (positions: readonly number[]) =>
      positions.reduce((total, position) => total + (tokens[position] ?? 0), 0)
    const groups = [...linkedMessages(messages)]
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
