import type { ReplyContext } from '../agent/agent.ts'
import { internalsOf } from '../agent/agent-internals.ts'
import { ChatContext } from '../agent/chat-context.ts'
import { Conversation } from '../agent/conversations.ts'

/**
 * The conversation that counts a reply. A reply without a sender has none, and a reply outside of conversations
 * (`generateReply`) gets a copy.
 */
export function countedConversation({
  agent,
  sender,
  chat,
}: Pick<ReplyContext, 'agent' | 'sender' | 'chat'>): Conversation {
  if (sender === undefined) return new Conversation()
  const { conversations } = internalsOf(agent)
  const isKept = !(chat instanceof ChatContext) || chat.isKept
  return isKept ? conversations.with(sender) : conversations.copyWith(sender)
}
