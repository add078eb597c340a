import { z } from '@fenced/core/zod'
import { type Message, outputMessage } from '../message/message.ts'
import {
  BaseModelContext,
  type ContextOptions,
  contextOptionsShape,
  groupToolMessages,
  takeNewest,
  takeOldest,
} from './model-context.ts'

export const unboundedContextOptionsSchema = z.strictObject(contextOptionsShape)

/** Lets a model read all messages. @throws FencedError `INVALID_OPTIONS`. */
export class UnboundedChatCompletionContext extends BaseModelContext<typeof unboundedContextOptionsSchema> {
  static readonly provider: string = 'UnboundedChatCompletionContext'

  constructor(options: ContextOptions = {}) {
    super(unboundedContextOptionsSchema, options)
  }

  protected select(messages: readonly Message[]): readonly Message[] {
    return messages
  }
}

export const bufferedContextOptionsSchema = z.strictObject({
  ...contextOptionsShape,
  bufferSize: z.int().positive(),
})

/** Options of {@link BufferedChatCompletionContext}. */
export interface BufferedContextOptions extends ContextOptions {
  /** Maximum number of messages that a model reads. */
  readonly bufferSize: number
}

/**
 * Lets a model read the newest messages. Tool calls and their results are kept together, so the model may read fewer messages
 * than the limit. It reads more only if the newest message and the call that it answers exceed the limit by themselves.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class BufferedChatCompletionContext extends BaseModelContext<typeof bufferedContextOptionsSchema> {
  static readonly provider: string = 'BufferedChatCompletionContext'

  constructor(options: BufferedContextOptions) {
    super(bufferedContextOptionsSchema, options)
  }

  protected select(messages: readonly Message[]): readonly Message[] {
    const chosen = new Set(takeNewest(groupToolMessages(messages), this.options.bufferSize).flat())
    return messages.filter((_, position) => chosen.has(position))
  }
}

export const headAndTailContextOptionsSchema = z.strictObject({
  ...contextOptionsShape,
  headSize: z.int().positive(),
  tailSize: z.int().positive(),
})

/** Options of {@link HeadAndTailChatCompletionContext}. */
export interface HeadAndTailContextOptions extends ContextOptions {
  /** Maximum number of the oldest messages that a model reads. */
  readonly headSize: number
  /** Maximum number of the newest messages that a model reads. */
  readonly tailSize: number
}

/**
 * Lets a model read the beginning of a conversation, which often contains the task, and the end. A message in place of the
 * omitted ones states their number. Tool calls and their results are kept together, and the newest message is always included
 * with the call that it answers.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class HeadAndTailChatCompletionContext extends BaseModelContext<
  typeof headAndTailContextOptionsSchema
> {
  static readonly provider: string = 'HeadAndTailChatCompletionContext'

  constructor(options: HeadAndTailContextOptions) {
    super(headAndTailContextOptionsSchema, options)
  }

  protected select(messages: readonly Message[]): readonly Message[] {
    const { headSize, tailSize } = this.options
    if (messages.length <= headSize + tailSize) return messages
    const groups = groupToolMessages(messages)
    const tail = takeNewest(groups, tailSize)
    const head = takeOldest(groups.slice(0, groups.length - tail.length), headSize)
    const chosen = new Set([...head, ...tail].flat())
    if (chosen.size === messages.length) return messages
    const gap = messages.findIndex((_, position) => !chosen.has(position))
    return messages.flatMap((message, position) => {
      if (position === gap) return [placeholder(messages.length - chosen.size)]
      return chosen.has(position) ? [message] : []
    })
  }
}

function placeholder(count: number): Message {
  const content = count === 1 ? '(1 message is left out here.)' : `(${count} messages are left out here.)`
  return outputMessage('System', content)
}
