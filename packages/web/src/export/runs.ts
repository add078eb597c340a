import type { CodeBlock } from '@fenced/core'
import type { ConversationEvent, LoggedCodeEvent, LoggedEvent } from '../event.ts'

/** What a reader of a conversation sees, in order. */
export type ExportedItem =
  | { readonly type: 'person'; readonly text: string }
  | { readonly type: 'answer'; readonly text: string }
  | { readonly type: 'document'; readonly name: string; readonly text: string }
  | { readonly type: 'run'; readonly blocks: readonly ExportedBlock[] }

export interface ExportedBlock {
  readonly block: CodeBlock
  /** Its output and results. */
  readonly events: readonly LoggedCodeEvent[]
  /** Absent where it did not end. */
  readonly end?: Extract<LoggedCodeEvent, { type: 'block-end' }>
}

interface OpenBlock extends ExportedBlock {
  events: LoggedCodeEvent[]
  end?: Extract<LoggedCodeEvent, { type: 'block-end' }>
}

/** A log as what it shows. */
export function exportedItems(log: Iterable<LoggedEvent>): ExportedItem[] {
  const items: ExportedItem[] = []
  let answer: { type: 'answer'; text: string } | undefined
  let blocks: OpenBlock[] = []
  for (const { event } of log) {
    switch (event.type) {
      case 'message':
        items.push({ type: 'person', text: event.content })
        break
      case 'document':
        items.push({ type: 'document', name: event.name, text: event.content })
        break
      case 'answer-start':
        answer = { type: 'answer', text: '' }
        items.push(answer)
        break
      case 'text-delta':
        if (answer !== undefined) answer.text += event.text
        break
      case 'code-start':
        blocks = []
        items.push({ type: 'run', blocks })
        break
      case 'code':
        takeCodeEvent(event, blocks)
        break
    }
  }
  return items
}

function takeCodeEvent({ event }: Extract<ConversationEvent, { type: 'code' }>, blocks: OpenBlock[]): void {
  if (event.type === 'block-start') blocks[event.index] = { block: event.block, events: [] }
  if (!('index' in event) || event.index === undefined) return
  const block = blocks[event.index]
  if (block === undefined) return
  if (event.type === 'clear') block.events = []
  else if (event.type === 'block-end') block.end = event
  else block.events.push(event)
}
