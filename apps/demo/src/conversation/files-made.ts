import type { ChatEvent } from '@fenced/agents'
import { fileNotices } from '../terminal/file-notices.ts'

/** The events of a conversation, with a notice for every file that a program has made. */
export async function* withFilesMade(
  events: AsyncIterable<ChatEvent>,
  terminal: NodeJS.WriteStream,
): AsyncGenerator<ChatEvent> {
  for await (const event of events) {
    yield event
    if (event.type !== 'code-end') continue
    for await (const notice of fileNotices(event.result.files, terminal)) {
      yield { type: 'notice', agent: event.agent, notice }
    }
  }
}
