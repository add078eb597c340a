import { z } from 'zod'
import type { Conversation } from '../agent/conversations.ts'
import { messageSchema } from '../message/spoken-and-heard.ts'
import type { AgentState } from '../task/chat-agent.ts'
import { readState } from '../task/read-state.ts'

const stateSchema = z.strictObject({
  type: z.literal('ConversableAgent'),
  version: z.literal(2),
  messages: z.array(messageSchema),
  autoReplies: z.int().min(0),
})

/** What an agent of the 0.2 family remembers of its conversation with a team, as plain data. */
export function conversationState({ messages, autoReplies }: Conversation): AgentState {
  return { type: 'ConversableAgent', version: 2, messages: [...messages], autoReplies }
}

/** @throws FencedError `INVALID_STATE`. */
export function readConversationState(state: AgentState): Pick<Conversation, 'messages' | 'autoReplies'> {
  return readState(stateSchema, state, 'ConversableAgent')
}
