import type { ConversationEvent } from './event.ts'

/** Open questions of each conversation. Kept in memory: a question waits for a running program, so none survives the server. */
export class WaitingQuestions {
  readonly #open = new Map<string, Set<string>>()

  /** Returns whether the event changed the number of open questions. */
  take(conversation: string, event: ConversationEvent): boolean {
    switch (event.type) {
      case 'approval-requested': {
        const open = this.#open.get(conversation) ?? new Set()
        this.#open.set(conversation, open.add(event.request.id))
        return true
      }
      case 'approval-answered':
      case 'approval-withdrawn':
        return this.#open.get(conversation)?.delete(event.requestId) === true
      case 'turn-end':
        return this.#open.delete(conversation)
      default:
        return false
    }
  }

  count(conversation: string): number {
    return this.#open.get(conversation)?.size ?? 0
  }

  delete(conversation: string): void {
    this.#open.delete(conversation)
  }
}
