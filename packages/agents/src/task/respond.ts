import type { Running } from '@fenced/core/internal'
import { type RunContext, runWithEvents } from '../running/run-with-events.ts'
import type { AgentItem, Response, ResponseItem } from './chat-agent.ts'
import { isPiece, itemLength } from './run-task.ts'

/** What an agent answers in the end. */
export type Answer = Pick<Response, 'message' | 'stopReason'>

/** Begins to answer at once: what `onMessages` of an agent is. Its events stand in the response. */
export function respond(
  answer: (context: RunContext<AgentItem>) => Promise<Answer>,
  signal?: AbortSignal,
): Running<Response, ResponseItem> {
  return runWithEvents<AgentItem | Response, Response>({
    run: async (context) => {
      const innerMessages: AgentItem[] = []
      const { message, stopReason } = await answer({
        ...context,
        emit: (item) => {
          if (!isPiece(item)) innerMessages.push(item)
          return context.emit(item)
        },
      })
      const why = stopReason === undefined ? {} : { stopReason }
      const response: Response = { type: 'Response', message, innerMessages, ...why }
      await context.emit(response)
      return response
    },
    lengthOf: (item) => (item.type === 'Response' ? item.message.content.length : itemLength(item)),
    signal,
  })
}
