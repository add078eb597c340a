import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import type { Message } from '../message/message.ts'
import { KeptMessages } from './kept-messages.ts'
import { type ContextOptions, contextOptionsShape } from './model-context.ts'

export const unboundedContextOptionsSchema = z.strictObject(contextOptionsShape)

/** Lets a model read everything. @throws FencedError `INVALID_OPTIONS`. */
export class UnboundedChatCompletionContext extends KeptMessages {
  static readonly provider: string = 'UnboundedChatCompletionContext'
  readonly options: z.output<typeof unboundedContextOptionsSchema>

  constructor(options: ContextOptions = {}) {
    const checked = parseOptions(unboundedContextOptionsSchema, options, 'UnboundedChatCompletionContext')
    super(checked.initialMessages)
    this.options = checked
  }

  protected choose(messages: readonly Message[]): readonly Message[] {
    return messages
  }
}
