import { FencedError } from '@fenced/core'
import { z } from 'zod'
import type { ChatMessage, MessageInput } from './chat-message.ts'

const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
  invalid: z.string().optional(),
})

const toolResponseSchema = z.object({
  toolCallId: z.string(),
  name: z.string(),
  content: z.string(),
  isError: z.boolean().optional(),
})

const messageSchema = z.strictObject({
  role: z.enum(['user', 'assistant', 'tool', 'system']).optional(),
  content: z.string(),
  name: z.string().optional(),
  toolCalls: z.array(toolCallSchema).min(1).optional(),
  toolResponses: z.array(toolResponseSchema).min(1).optional(),
  context: z.record(z.string(), z.unknown()).optional(),
})

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

/** The same message as its listener keeps it. One with calls stays its speaker's, as AutoGen has it. */
export function heardMessage(message: ChatMessage): ChatMessage {
  return message.role === 'tool' || message.toolCalls !== undefined ? message : { ...message, role: 'user' }
}

function checked(input: MessageInput, speaker: string): Exclude<MessageInput, string> {
  const parsed = messageSchema.safeParse(input)
  if (parsed.success) return input as Exclude<MessageInput, string>
  throw new FencedError({
    code: 'INVALID_MESSAGE',
    message: `${speaker} cannot send this message:\n${z.prettifyError(parsed.error)}`,
  })
}
