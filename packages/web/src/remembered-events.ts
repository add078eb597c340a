import type { ConversationEvent, LoggedEvent } from './event.ts'

const forgettable: ReadonlySet<ConversationEvent['type']> = new Set([
  'answer-start',
  'text-delta',
  'answer-end',
  'tool-start',
  'tool-end',
])

/** A log without answers and tool calls that the agents do not remember, because they continued from an earlier position. */
export function remembered(log: Iterable<LoggedEvent>): LoggedEvent[] {
  let events: LoggedEvent[] = []
  for (const logged of log) {
    const { event } = logged
    const after = event.type === 'turn-start' ? event.after : undefined
    if (after !== undefined)
      events = events.filter((each) => each.seq <= after || !forgettable.has(each.event.type))
    events.push(logged)
  }
  return events
}
