import { parseOptions } from '@fenced/core/driver'
import type { Running } from '@fenced/core/internal'
import { z } from 'zod'
import type { AgentEvent } from '../event.ts'
import { runWithEvents } from '../running/run-with-events.ts'
import { ChatContext } from './chat-context.ts'

/**
 * A running conversation: await it for the result, iterate it for the events. It runs whether or not anybody looks, and
 * can be iterated once. Leaving the loop early ends the conversation, and a block that it runs, and waits for that.
 */
export type Chat<Result> = Running<Result, AgentEvent>

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
  return runWithEvents(
    async (context) => {
      parseOptions(optionsSchema, options, of)
      return await run(new ChatContext(context), others)
    },
    signal instanceof AbortSignal ? signal : undefined,
  )
}
