import type { CodeBlock } from '@fenced/core'
import type { ConversationEvent, GivenAnswer, LoggedCodeEvent, LoggedEvent } from '../event.ts'
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
  | {
      readonly type: 'answer'
      readonly id: string
      readonly text: string
      readonly agent: string | undefined
    }
  | { readonly type: 'document'; readonly id: string; readonly name: string; readonly text: string }

export interface ExportedBlock {
  readonly block: CodeBlock
  /** Its output and results. */
  readonly events: readonly LoggedCodeEvent[]
  /** Absent where it did not end. */
  readonly end?: Extract<LoggedCodeEvent, { type: 'block-end' }>
  /** Why it did not run. Absent if it ran, or if there was no decision. */
  readonly notRun?: string
}

interface OpenBlock extends ExportedBlock {
  block: CodeBlock
  events: LoggedCodeEvent[]
  notRun?: string
  end?: Extract<LoggedCodeEvent, { type: 'block-end' }>
}

/** A log as what it shows. */
export function exportedItems(log: Iterable<LoggedEvent>): ExportedItem[] {
  const items: ExportedItem[] = []
  let answer: { type: 'answer'; id: string; text: string; agent: string | undefined } | undefined
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
        answer = { type: 'answer', id: event.answerId, text: '', agent: event.agent }
        items.push(answer)
        break
      case 'text-delta':
        if (answer !== undefined) answer.text += event.text
        break
      case 'answer-end':
        if (answer !== undefined) answer.text = event.text ?? answer.text
        break
      case 'code-start':
        blocks = event.blocks.map((block) => ({ block, events: [] }))
        items.push({ type: 'run', of: event.of, blocks })
        break
      case 'approval-answered':
        takeAnswer(event.answer, blocks)
        break
      case 'code':
        takeCodeEvent(event, blocks)
        break
    }
  }
  return items
}

/** A denied program stays, with its reason. Programs that the person left out are behind those that run. */
function takeAnswer(answer: GivenAnswer, blocks: OpenBlock[]): void {
  if (blocks.some(({ events, end }) => events.length > 0 || end !== undefined)) return
  if (answer.decision === 'deny') {
    for (const block of blocks) block.notRun = `Denied: ${answer.reason || 'no reason'}`
    return
  }
  if (answer.decision !== 'edit' || answer.blocks.length >= blocks.length) return
  const chosen = answer.blocks.map(({ code }) => blocks.find(({ block }) => block.code === code))
  const left = blocks.filter((block) => !chosen.includes(block))
  for (const block of left) block.notRun = 'Left out by the person'
  const kept = answer.blocks.map((block, index) => chosen[index] ?? { block, events: [] })
  blocks.splice(0, blocks.length, ...kept, ...left)
}

function takeCodeEvent({ event }: Extract<ConversationEvent, { type: 'code' }>, blocks: OpenBlock[]): void {
  if (event.type === 'block-start') {
    // A program of a shorter list has no line: it is the one with the same code.
    const { line } = blocks[event.index]?.block ?? {}
    blocks[event.index] = { block: { ...(line === undefined ? {} : { line }), ...event.block }, events: [] }
  }
  if (!('index' in event) || event.index === undefined) return
  const block = blocks[event.index]
  if (block === undefined) return
  if (event.type === 'clear') block.events = []
  else if (event.type === 'block-end') block.end = event
  else block.events.push(event)
}
