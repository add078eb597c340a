import { FencedError } from '@fenced/core'
import { z } from 'zod'
import type { ChatMessage, MessageInput } from './chat-message.ts'
import { messageInputSchema } from './chat-message-schema.ts'

/**
 * A message as its speaker keeps it: its role is `assistant`, or `tool` where it answers calls.
 *
 * @throws FencedError `INVALID_MESSAGE`.
 */
export function spokenMessage(input: MessageInput, speaker: string): ChatMessage {
  const message = typeof input === 'string' ? { content: input } : checked(input, speaker)
  const isAnswer = message.role === 'tool' || message.toolResponses !== undefined
  const hasCalls = isAnswer || message.toolCalls !== undefined
  return {
    ...message,
    role: isAnswer ? 'tool' : 'assistant',
    ...(hasCalls || message.name !== undefined ? {} : { name: speaker }),
  }
}

/**
 * The same message as its listener keeps it, without what only the model that wrote it understands. One with calls stays
 * its speaker's, as AutoGen has it.
 */
export function heardMessage(message: ChatMessage): ChatMessage {
  const { parts, ...heard } = message
  if (message.role !== 'tool' && message.toolCalls === undefined) return { ...heard, role: 'user' }
  return parts === undefined ? message : heard
}

function checked(input: MessageInput, speaker: string): Exclude<MessageInput, string> {
  const parsed = messageInputSchema.safeParse(input)
  if (parsed.success) return input as Exclude<MessageInput, string>
  throw new FencedError({
    code: 'INVALID_MESSAGE',
    message: `${speaker} cannot send this message:\n${z.prettifyError(parsed.error)}`,
  })
}
