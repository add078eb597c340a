import type { Failure } from '../code-executor-agent/failure-signature.ts'
import type { ChatMessage } from '../message/chat-message.ts'

/** What an agent keeps about one partner. */
export class Conversation {
  readonly messages: ChatMessage[] = []
  /** How often the agent has answered by itself since a person last spoke. */
  autoReplies = 0
  /** The agent's own limit where none is set for this partner. */
  maxConsecutiveAutoReply: number | undefined
  /** Whether a message from this partner is answered when its sender does not say. */
  repliesAtReceive = false
  /** A chat of these two is running. */
  isBusy = false
  /** The last program of the partner that failed here, and how often in a row it has. */
  #failure: { readonly last: Failure; readonly count: number } | undefined

  constructor(messages: readonly ChatMessage[] = []) {
    this.messages.push(...messages)
  }

  /** How often in a row the same program has failed in the same way, with this one; 0 where it has not failed. */
  countFailure(failure: Failure | undefined): number {
    if (failure === undefined) {
      this.#failure = undefined
      return 0
    }
    const before = this.#failure
    const isSame = before?.last.codeHash === failure.codeHash && before.last.error === failure.error
    this.#failure = { last: failure, count: isSame ? before.count + 1 : 1 }
    return this.#failure.count
  }

  /**
   * Keeps the newest messages; one more where the oldest of them answers tool calls, which it needs.
   *
   * @param preserve - how many stay. Default none.
   */
  clear(preserve = 0): void {
    this.#failure = undefined
    const from = Math.max(0, this.messages.length - preserve)
    const answersCalls = this.messages[from]?.toolResponses !== undefined
    this.messages.splice(0, answersCalls && from > 0 ? from - 1 : from)
  }
}
