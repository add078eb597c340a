import type { UIMessageChunk } from 'ai'
import type { LoggedEvent } from '../event.ts'

/**
 * Converts the events of a conversation to an AI SDK UI stream (`useChat`, AI Elements). Answers become text, and other events
 * become data parts named `data-fenced`. The stream ends with the turn, or when the events end.
 *
 * @param events - Events of one turn, from the log or live.
 */
export async function* loggedUIMessageStream(
  events: Iterable<LoggedEvent> | AsyncIterable<LoggedEvent>,
): AsyncGenerator<UIMessageChunk> {
  yield { type: 'start' }
  for await (const { event, seq } of events) {
    switch (event.type) {
      case 'answer-start':
        yield { type: 'text-start', id: event.answerId }
        break
      case 'text-delta':
        yield { type: 'text-delta', id: event.answerId, delta: event.text }
        break
      case 'answer-end':
        yield { type: 'text-end', id: event.answerId }
        break
      case 'turn-end':
        if (event.status === 'failed') yield { type: 'error', errorText: event.message ?? 'It failed.' }
        if (event.status === 'stopped') yield { type: 'abort' }
        yield { type: 'finish' }
        return
      default:
        yield { type: 'data-fenced', id: `${seq}`, data: event }
    }
  }
  yield { type: 'finish' }
}
