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

  constructor(messages: readonly ChatMessage[] = []) {
    this.messages.push(...messages)
  }

  /**
   * Keeps the newest messages; one more where the oldest of them answers tool calls, which it needs.
   *
   * @param preserve - how many stay. Default none.
   */
  clear(preserve = 0): void {
    const from = Math.max(0, this.messages.length - preserve)
    const answersCalls = this.messages[from]?.toolResponses !== undefined
    this.messages.splice(0, answersCalls && from > 0 ? from - 1 : from)
  }
}
