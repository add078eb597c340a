import { z } from '@fenced/core/zod'
import type { ConversationOptions } from '../agent/agent.ts'
import type { ConversationPair } from '../agent/agent-parts.ts'
import type { ChatContext } from '../agent/chat-context.ts'
import type { Conversation } from '../agent/conversations.ts'
import type { AgentState, ChatResult } from '../event.ts'
import { messageSchema } from '../message/sent-and-received.ts'
import { savedRepetitionsSchema } from '../running/repetitions.ts'
import { savedTurnSchema } from '../running/saved-questions.ts'
import { questionsIn } from '../task/agent-state.ts'
import type { Position } from './turn-loop.ts'

const conversationSchema = z.lazy(() =>
  z.strictObject({
    messages: z.array(messageSchema),
    innerMessages: z.array(messageSchema),
    autoReplies: z.int().min(0),
    maxConsecutiveAutoReply: z.int().min(0).optional(),
    repliesAtReceive: z.boolean(),
    dataMessages: z.int().min(0),
    repetitions: savedRepetitionsSchema,
  }),
)

type SavedConversation = z.output<typeof conversationSchema>

const roleSchema = z.enum(['initiator', 'recipient'])

export const chatSchema = z.lazy(() =>
  z.strictObject({
    type: z.literal('Chat'),
    version: z.literal(1),
    sender: z.string(),
    recipient: z.string(),
    maxTurns: z.int().min(0).optional(),
    position: z.strictObject({
      isInitiatorNext: z.boolean(),
      turns: z.int().min(1),
      remark: z.string().optional(),
      isLastEmpty: z.boolean(),
      empty: z.array(roleSchema),
    }),
    conversations: z.strictObject({ initiator: conversationSchema, recipient: conversationSchema }),
    turn: savedTurnSchema,
  }),
)

interface SavedParts extends Pick<ConversationOptions, 'maxTurns'> {
  readonly chat: ChatContext
  readonly position: Position
}

/** The questions and the state of a conversation that waits for answers: its messages, its counters, and who replies next. */
export function savedChat(
  { sender, recipient }: ConversationPair,
  { maxTurns, chat, position }: SavedParts,
): Pick<ChatResult, 'questions' | 'state'> {
  const { turn } = chat
  const state: AgentState = structuredClone({
    ...{ type: 'Chat', version: 1, sender: sender.name, recipient: recipient.name },
    ...(maxTurns === undefined ? {} : { maxTurns }),
    position,
    conversations: {
      initiator: saved(sender.conversations.with(recipient.agent)),
      recipient: saved(recipient.conversations.with(sender.agent)),
    },
    turn,
  })
  return { state, questions: questionsIn(state) }
}

function saved({
  messages,
  innerMessages,
  autoReplies,
  maxConsecutiveAutoReply,
  repliesAtReceive,
  dataMessages,
  repetitions,
}: Conversation): SavedConversation {
  return {
    ...{ messages, innerMessages, autoReplies, repliesAtReceive, dataMessages },
    ...(maxConsecutiveAutoReply === undefined ? {} : { maxConsecutiveAutoReply }),
    repetitions: repetitions.save(),
  }
}

/** Takes over the saved messages and counters of one agent. */
export function loadConversation(conversation: Conversation, state: SavedConversation): void {
  const { messages, innerMessages, repetitions, ...counters } = state
  conversation.clear()
  conversation.messages.push(...messages)
  conversation.innerMessages.push(...innerMessages)
  conversation.repetitions.load(repetitions)
  Object.assign(conversation, counters)
}
