import type { EventOf } from '../event.ts'
import { writtenTextOf } from '../message/written-text.ts'
import type { WriteChunk } from './chunk.ts'

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
