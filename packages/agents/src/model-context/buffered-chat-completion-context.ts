import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import type { Message } from '../message/message.ts'
import { KeptMessages, linkedMessages, newestWithin } from './kept-messages.ts'
import { type ContextOptions, contextOptionsShape } from './model-context.ts'

export const bufferedContextOptionsSchema = z.strictObject({
  ...contextOptionsShape,
  bufferSize: z.int().positive(),
})

/** Options of {@link BufferedChatCompletionContext}. */
export interface BufferedContextOptions extends ContextOptions {
  /** How many messages a model reads at most. */
  readonly bufferSize: number
}

/**
 * Lets a model read the newest messages. There are fewer of them than the limit where a call of a tool and its answers
 * would not fit in together, and more only where the newest message and the call that it answers are more by themselves.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class BufferedChatCompletionContext extends KeptMessages {
  static readonly provider: string = 'BufferedChatCompletionContext'
  readonly options: z.output<typeof bufferedContextOptionsSchema>

  constructor(options: BufferedContextOptions) {
    const checked = parseOptions(bufferedContextOptionsSchema, options, 'BufferedChatCompletionContext')
    super(checked.initialMessages)
    this.options = checked
  }

  protected choose(messages: readonly Message[]): readonly Message[] {
    const chosen = new Set(newestWithin(linkedMessages(messages), this.options.bufferSize).flat())
    return messages.filter((_, position) => chosen.has(position))
  }
}
