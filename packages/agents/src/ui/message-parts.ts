import type { AgentEvent, EventOf } from '../event.ts'
import type { ToolCall, ToolResponse } from '../message/tool-parts.ts'
import { writtenTextOf } from '../message/written-text.ts'
import { pictureUrl } from './code-parts.ts'
import type { AgentUIDataParts, WriteChunk } from './ui-message.ts'

type Delta = EventOf<'text-delta' | 'reasoning-delta'>
type Kind = 'text' | 'reasoning'

/** What models write, as text and reasoning: one open part for each agent. */
export class TextParts {
  readonly #write: WriteChunk
  readonly #open = new Map<string, { readonly kind: Kind; readonly id: string }>()
  /** Agents whose next message was streamed. */
  readonly #streamed = new Set<string>()
  #isBegun = false

  constructor(write: WriteChunk) {
    this.#write = write
  }

  add({ agent, type, text: delta, id }: Delta): void {
    const kind = type === 'text-delta' ? 'text' : 'reasoning'
    if (this.#open.get(agent)?.kind !== kind) {
      this.end(agent)
      this.#open.set(agent, { kind, id })
      this.#write({ type: `${kind}-start`, id })
    }
    if (kind === 'text') this.#streamed.add(agent)
    this.#write({ type: `${kind}-delta`, id: this.#open.get(agent)?.id ?? id, delta })
  }

  /** A message that was not streamed, as from a reply function. The page has the task and the first message of a conversation. */
  message({ agent, id, message, recipient }: Omit<EventOf<'message'>, 'type' | 'createdAt'>): void {
    const isFirst = !this.#isBegun && recipient !== undefined
    const wasStreamed = this.#streamed.delete(agent)
    this.#isBegun = true
    const delta = message.role === 'assistant' ? writtenTextOf(message) : ''
    if (isFirst || wasStreamed || delta === '') return
    this.#write({ type: 'text-start', id })
    this.#write({ type: 'text-delta', id, delta })
    this.#write({ type: 'text-end', id })
  }

  end(agent: string): void {
    const open = this.#open.get(agent)
    if (open === undefined) return
    this.#open.delete(agent)
    this.#write({ type: `${open.kind}-end`, id: open.id })
  }

  endAll(): void {
    for (const agent of this.#open.keys()) this.end(agent)
  }
}

type Question = AgentUIDataParts['question']

/** Questions, each as one part from its request to its answer. */
export class QuestionParts {
  readonly #write: WriteChunk
  readonly #open = new Map<string, Question>()

  constructor(write: WriteChunk) {
    this.#write = write
  }

  ask(event: EventOf<'approval-requested' | 'human-input-requested'>): void {
    const { agent, request } = event
    const question = 'question' in request ? request.question : request.prompt
    const choices = event.type === 'approval-requested' ? event.choices : []
    const data: Question = { agent, question, request, choices, state: 'open' }
    this.#open.set(request.id, data)
    this.#write({ type: 'data-question', id: request.id, data })
  }

  answer(id: string, decision: Question['decision']): void {
    this.#close(id, { state: 'answered', ...(decision === undefined ? {} : { decision }) })
  }

  withdraw(id: string): void {
    this.#close(id, { state: 'withdrawn' })
  }

  withdrawAll(): void {
    for (const id of this.#open.keys()) this.withdraw(id)
  }

  #close(id: string, end: Pick<Question, 'state' | 'decision'>): void {
    const question = this.#open.get(id)
    // A question that a remembered answer decided was not shown.
    if (question === undefined) return
    this.#open.delete(id)
    this.#write({ type: 'data-question', id, data: { ...question, ...end } })
  }
}

interface OfCall extends Pick<AgentEvent, 'agent'> {
  readonly call: ToolCall
}

/** Tool calls. Models number their calls, so each call has an id of this stream. */
export class ToolParts {
  readonly #write: WriteChunk
  readonly #ids = new Map<string, string>()

  constructor(write: WriteChunk) {
    this.#write = write
  }

  start({ agent, call }: OfCall): string {
    // A call that needed an answer starts again.
    const toolCallId = this.#ids.get(keyOf({ agent, call })) ?? crypto.randomUUID()
    this.#ids.set(keyOf({ agent, call }), toolCallId)
    const { name: toolName, input } = call
    this.#write({ type: 'tool-input-available', toolCallId, toolName, input, dynamic: true })
    return toolCallId
  }

  output({ agent, call, output }: OfCall & { readonly output: unknown }): void {
    const toolCallId = this.#ids.get(keyOf({ agent, call })) ?? this.start({ agent, call })
    this.#write({ type: 'tool-output-available', toolCallId, output, dynamic: true, preliminary: true })
  }

  end({ agent, call, response }: OfCall & { readonly response: ToolResponse }): void {
    const toolCallId = this.#ids.get(keyOf({ agent, call })) ?? this.start({ agent, call })
    this.#ids.delete(keyOf({ agent, call }))
    const { content, isError, pictures = [] } = response
    if (isError === true)
      this.#write({ type: 'tool-output-error', toolCallId, errorText: content, dynamic: true })
    else this.#write({ type: 'tool-output-available', toolCallId, output: content, dynamic: true })
    for (const { mediaType, data } of pictures)
      this.#write({ type: 'data-picture', id: crypto.randomUUID(), data: pictureUrl(mediaType, data) })
  }
}

function keyOf({ agent, call }: OfCall): string {
  return JSON.stringify([agent, call.id])
}
