import type { ReplyFunction, ReplyOutcome } from '../agent/agent.ts'
import { type AgentParts, partsOf } from '../agent/agent-parts.ts'
import { ChatContext } from '../agent/chat-context.ts'
import { Conversation } from '../agent/conversations.ts'
import type { Message } from '../message/message.ts'

/** A turn of an agent, for the reply functions of this package. */
export interface ReplyTurn {
  readonly agent: AgentParts
  readonly sender: AgentParts | undefined
  readonly messages: readonly Message[]
  readonly chat: ChatContext
  /** Counts the reply. A reply without a sender, or outside of conversations (`generateReply`), counts in a copy. */
  readonly conversation: Conversation
}

const own = new WeakSet<ReplyFunction>()

/** Creates a reply function that ends soon after its signal is aborted, with all that it began. A conversation waits for its end. */
export function ownReply(reply: (turn: ReplyTurn) => ReplyOutcome | Promise<ReplyOutcome>): ReplyFunction {
  const replying: ReplyFunction = ({ agent, sender, messages, chat }) => {
    const context = chat instanceof ChatContext ? chat : new ChatContext(chat, { parent: chat })
    return reply(replyTurnOf(partsOf(agent), sender && partsOf(sender), { messages, chat: context }))
  }
  own.add(replying)
  return replying
}

/** Whether a reply function stops by itself. A caller's function may never end, so a cancelled conversation does not wait for it. */
export function isOwnReply(reply: ReplyFunction): boolean {
  return own.has(reply)
}

export function replyTurnOf(
  agent: AgentParts,
  sender: AgentParts | undefined,
  { messages, chat }: Pick<ReplyTurn, 'messages' | 'chat'>,
): ReplyTurn {
  return { agent, sender, messages, chat, conversation: conversationOf(agent, sender, chat) }
}

function conversationOf(
  { conversations }: AgentParts,
  sender: AgentParts | undefined,
  { isKept }: ChatContext,
): Conversation {
  if (sender === undefined) return new Conversation()
  return isKept ? conversations.with(sender.agent) : conversations.copyWith(sender.agent)
}
