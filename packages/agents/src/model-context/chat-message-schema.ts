import { z } from 'zod'
import type { ChatMessage } from '../message/chat-message.ts'

const toolCallSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
  invalid: z.string().exactOptional(),
})

const toolResponseSchema = z.strictObject({
  toolCallId: z.string(),
  name: z.string(),
  content: z.string(),
  isError: z.boolean().exactOptional(),
})

/** A message as an agent keeps it. */
export const chatMessageSchema: z.ZodType<ChatMessage> = z.strictObject({
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  content: z.string(),
  name: z.string().exactOptional(),
  toolCalls: z.array(toolCallSchema).exactOptional(),
  toolResponses: z.array(toolResponseSchema).exactOptional(),
  context: z.record(z.string(), z.unknown()).exactOptional(),
})
