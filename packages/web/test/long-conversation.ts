import { randomUUID } from 'node:crypto'
import { EventLog } from '../src/event-log.ts'

/** What the last answer of a long conversation says. */
export const lastAnswer = 'This is the last answer.'

/** Writes a conversation of messages and answers with programs, in about as many events. @returns its id. */
export function writeLongConversation(directory: string, events: number): string {
  const log = new EventLog(directory)
  const id = randomUUID()
  log.create({ id, title: 'A long conversation', executor: 'local', model: 'scripted', packages: [] })
  const turns = Math.floor(events / 6)
  for (let turn = 1; turn <= turns; turn++) {
    const answerId = randomUUID()
    const text = `Answer ${turn} has a list:\n\n- one\n- two\n\n\`\`\`text\nturn ${turn}\n\`\`\`\n`
    log.append(id, { type: 'message', messageId: randomUUID(), content: `Message ${turn}.` })
    log.append(id, { type: 'turn-start' })
    log.append(id, { type: 'answer-start', answerId, model: 'Scripted' })
    log.append(id, { type: 'text-delta', answerId, text: turn === turns ? lastAnswer : text })
    log.append(id, { type: 'answer-end', answerId, complete: true })
    log.append(id, { type: 'turn-end', status: 'done' })
  }
  log.close()
  return id
}
