import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { createMessage, type Message } from '../message/message.ts'
import {
  BaseModelContext,
  type ContextOptions,
  contextOptionsShape,
  groupToolMessages,
  takeNewest,
} from './model-context.ts'

export const unboundedContextOptionsSchema = z.strictObject(contextOptionsShape)

/** Lets a model read everything. @throws FencedError `INVALID_OPTIONS`. */
export class UnboundedChatCompletionContext extends BaseModelContext {
  static readonly provider: string = 'UnboundedChatCompletionContext'
  readonly options: z.output<typeof unboundedContextOptionsSchema>

  constructor(options: ContextOptions = {}) {
    const checked = parseOptions(unboundedContextOptionsSchema, options, 'UnboundedChatCompletionContext')
    super(checked.initialMessages)
    this.options = checked
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
  /** How many messages a model reads at most. */
  readonly bufferSize: number
}

/**
 * Lets a model read the newest messages. There are fewer of them than the limit where a call of a tool and its answers
 * would not fit in together, and more only where the newest message and the call that it answers are more by themselves.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class BufferedChatCompletionContext extends BaseModelContext {
  static readonly provider: string = 'BufferedChatCompletionContext'
  readonly options: z.output<typeof bufferedContextOptionsSchema>

  constructor(options: BufferedContextOptions) {
    const checked = parseOptions(bufferedContextOptionsSchema, options, 'BufferedChatCompletionContext')
    super(checked.initialMessages)
    this.options = checked
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
  /** How many of the oldest messages a model reads at most. */
  readonly headSize: number
  /** How many of the newest messages a model reads at most. */
  readonly tailSize: number
}

/**
 * Gives a model the beginning, which often contains the task, and the end. A message in place of the others reports their
 * number. Tool calls and their results are kept together, and the newest message is always included with the call that it
 * answers.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class HeadAndTailChatCompletionContext extends BaseModelContext {
  static readonly provider: string = 'HeadAndTailChatCompletionContext'
  readonly options: z.output<typeof headAndTailContextOptionsSchema>

  constructor(options: HeadAndTailContextOptions) {
    const checked = parseOptions(headAndTailContextOptionsSchema, options, 'HeadAndTailChatCompletionContext')
    super(checked.initialMessages)
    this.options = checked
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

/** The oldest groups that hold no more messages than `size` together. */
function takeOldest(groups: readonly (readonly number[])[], size: number): (readonly number[])[] {
  const oldest: (readonly number[])[] = []
  let count = 0
  for (const group of groups) {
    count += group.length
    if (count > size) break
    oldest.push(group)
  }
  return oldest
}

function placeholder(count: number): Message {
  const content = count === 1 ? '(1 message is left out here.)' : `(${count} messages are left out here.)`
  return createMessage({ role: 'user', source: 'System', content })
}
