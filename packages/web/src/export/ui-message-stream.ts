import type { UIMessageChunk } from 'ai'
import type { LoggedEvent } from '../event.ts'

/**
 * The events of a conversation as the stream of AI SDK UI (`useChat`, AI Elements): answers as text, other events as data parts,
 * `data-fenced`. It ends with the turn, or with the events if they end earlier.
 *
 * @param events - Events of one turn, from the log or live.
 */
export async function* toUIMessageStream(
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
