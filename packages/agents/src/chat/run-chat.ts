import { parseOptions } from '@fenced/core/driver'
import type { Running } from '@fenced/core/internal'
import { z } from 'zod'
import { runWithEvents } from '../running/run-with-events.ts'
import { ChatContext } from './chat-context.ts'
import type { ChatEvent } from './chat-event.ts'

/**
 * A running conversation: await it for the result, iterate it for the events. It runs whether or not anybody looks, and
 * can be iterated once. Leaving the loop early ends the conversation, and a block that it runs, and waits for that.
 */
export type Chat<Result> = Running<Result, ChatEvent>

/** What begins a conversation, and the options that it was called with. */
export interface ChatParts<Options extends object, Result> {
  /** The name of the method, for the error. */
  readonly of: string
  readonly options: Options
  readonly run: (chat: ChatContext, options: Omit<Options, 'signal'>) => Promise<Result>
}

const optionsSchema = z.looseObject({
  signal: z.instanceof(AbortSignal, { error: 'must be an AbortSignal' }).optional(),
})

/** Begins something that makes the events of a conversation, at once. It rejects where its options are no object. */
export function runChat<Options extends { readonly signal?: AbortSignal | undefined }, Result>({
  of,
  options,
  run,
}: ChatParts<Options, Result>): Chat<Result> {
  const { signal, ...others } = Object(options) as Options
  return runWithEvents<ChatEvent, Result>({
    run: async (context) => {
      parseOptions(optionsSchema, options, of)
      return await run(new ChatContext(context), others)
    },
    lengthOf: textLength,
    signal: signal instanceof AbortSignal ? signal : undefined,
  })
}

function textLength(event: ChatEvent): number {
  switch (event.type) {
    case 'message':
    case 'inner-message':
      return event.message.content.length
    case 'model':
    case 'code':
      return 'text' in event.event ? event.event.text.length : 0
    case 'code-end':
      return event.result.output.length
    case 'tool-end':
      return event.response.content.length
    default:
      return 0
  }
}
