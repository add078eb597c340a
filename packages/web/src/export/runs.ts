import type { CodeBlock } from '@fenced/core'
import type { ConversationEvent, LoggedCodeEvent, LoggedEvent } from '../event.ts'
import { remembered } from '../remembered-events.ts'

/** What a reader of a conversation sees, in order. */
export type ExportedItem =
  | { readonly type: 'person'; readonly text: string }
  | ExportedText
  | {
      readonly type: 'run'
      /** Id of the answer or document that has the blocks. */
      readonly of: string
      readonly blocks: readonly ExportedBlock[]
    }

/** A text whose blocks can be run. */
export type ExportedText =
  | { readonly type: 'answer'; readonly id: string; readonly text: string }
  | { readonly type: 'document'; readonly id: string; readonly name: string; readonly text: string }

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
  let answer: { type: 'answer'; id: string; text: string } | undefined
  let blocks: OpenBlock[] = []
  for (const { event } of remembered(log)) {
    switch (event.type) {
      case 'message':
        items.push({ type: 'person', text: event.content })
        break
      case 'document':
        items.push({ type: 'document', id: event.documentId, name: event.name, text: event.content })
        break
      case 'answer-start':
        answer = { type: 'answer', id: event.answerId, text: '' }
        items.push(answer)
        break
      case 'text-delta':
        if (answer !== undefined) answer.text += event.text
        break
      case 'answer-end':
        if (answer !== undefined) answer.text = event.text ?? answer.text
        break
      case 'code-start':
        blocks = []
        items.push({ type: 'run', of: event.of, blocks })
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
