import type { Running } from '@fenced/core'
import { runWithEvents } from '../running/run-with-events.ts'
import { ChatContext } from './chat-context.ts'
import type { ChatEvent } from './chat-event.ts'

/**
 * A running conversation: await it for the result, iterate it for the events. It runs whether or not anybody looks, and
 * can be iterated once. Leaving the loop early ends the conversation, and a block that it runs, and waits for that.
 */
export type Chat<Result> = Running<Result, ChatEvent>

/** Begins something that makes the events of a conversation, at once. */
export function runChat<Result>(
  run: (chat: ChatContext) => Promise<Result>,
  signal?: AbortSignal,
): Chat<Result> {
  return runWithEvents<ChatEvent, Result>({
    run: (context) => run(new ChatContext(context)),
    lengthOf: textLength,
    signal,
  })
}

function textLength(event: ChatEvent): number {
  switch (event.type) {
    case 'message':
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
