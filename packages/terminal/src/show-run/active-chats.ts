import type { AgentEvent } from '@fenced/agents'

interface OpenChat {
  readonly sender: string
  readonly recipient: string
  /** The conversation is over: text of a model is now a summary. */
  isOver: boolean
}

/** Tracks conversations, to know the recipient of an agent before its message. */
export class ActiveChats {
  readonly #chats: OpenChat[] = []

  follow(event: AgentEvent): void {
    if (event.type === 'chat-start') {
      this.#chats.push({ sender: event.agent, recipient: event.recipient, isOver: false })
    } else if (event.type === 'chat-end') {
      const { agent: sender, recipient } = event
      const index = this.#chats.findLastIndex(
        (chat) => chat.sender === sender && chat.recipient === recipient,
      )
      if (index !== -1) this.#chats.splice(index, 1)
    } else if (event.type === 'termination') {
      const chat = this.#chatOf(event.agent)
      if (chat !== undefined) chat.isOver = true
    }
  }

  get isEmpty(): boolean {
    return this.#chats.length === 0
  }

  partnerOf(agent: string): string | undefined {
    const chat = this.#chatOf(agent)
    return chat?.sender === agent ? chat.recipient : chat?.sender
  }

  #chatOf(agent: string): OpenChat | undefined {
    return this.#chats.findLast(
      ({ sender, recipient, isOver }) => !isOver && (sender === agent || recipient === agent),
    )
  }
}
