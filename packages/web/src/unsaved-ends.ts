import type { ConversationEvent, LoggedEvent } from './event.ts'

/**
 * Ends of answers, runs and turns that could not be written, as on a full disk: without them a conversation would seem to work for
 * ever. There are only a few for each conversation, because no turn begins while they cannot be written.
 */
export class UnsavedEnds {
  readonly #ends = new Map<string, LoggedEvent[]>()

  static isEnd({ type }: ConversationEvent): boolean {
    return endTypes.has(type)
  }

  get conversations(): string[] {
    return [...this.#ends.keys()]
  }

  /** The unsaved ends of a conversation, in order. */
  of(conversation: string): readonly LoggedEvent[] {
    return this.#ends.get(conversation) ?? []
  }

  add(conversation: string, end: LoggedEvent): void {
    this.#ends.set(conversation, [...this.of(conversation), end])
  }

  /** Removes the first end of a conversation, because it has been written. */
  removeFirst(conversation: string): void {
    const [, ...others] = this.of(conversation)
    if (others.length === 0) this.#ends.delete(conversation)
    else this.#ends.set(conversation, others)
  }

  /** Removes all ends of a conversation. */
  delete(conversation: string): void {
    this.#ends.delete(conversation)
  }

  hasTurnEnd(conversation: string): boolean {
    return this.of(conversation).some(({ event }) => event.type === 'turn-end')
  }
}

const endTypes: ReadonlySet<ConversationEvent['type']> = new Set([
  'answer-end',
  'code-end',
  'turn-end',
  'approval-withdrawn',
])
