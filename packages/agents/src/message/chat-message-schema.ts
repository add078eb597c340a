import type { ProviderMetadata } from 'ai'
import { z } from 'zod'
import type { AnswerPart, ChatMessage, MessageInput } from './chat-message.ts'

const toolCallSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
  invalid: z.string().exactOptional(),
  providerOptions: z
    .custom<ProviderMetadata>((value) => typeof value === 'object' && value !== null)
    .exactOptional(),
})

const pictureSchema = z.strictObject({ mediaType: z.string(), data: z.string() })

const partSchema = z.custom<AnswerPart>(
  (value) => typeof value === 'object' && value !== null && 'type' in value,
  'must be a part of a message of the AI SDK',
)

const toolResponseSchema = z.strictObject({
  toolCallId: z.string(),
  name: z.string(),
  content: z.string(),
  pictures: z.array(pictureSchema).exactOptional(),
  isError: z.boolean().exactOptional(),
})

const keptSchema = z.strictObject({
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  content: z.string(),
  name: z.string().exactOptional(),
  toolCalls: z.array(toolCallSchema).exactOptional(),
  toolResponses: z.array(toolResponseSchema).exactOptional(),
  pictures: z.array(pictureSchema).exactOptional(),
  parts: z.array(partSchema).exactOptional(),
  context: z.record(z.string(), z.unknown()).exactOptional(),
})

/** A message as an agent keeps it. */
export const chatMessageSchema: z.ZodType<ChatMessage> = keptSchema

/** A message as somebody gives it, before it has a role. Calls and answers are there or not: an empty list is neither. */
export const messageInputSchema: z.ZodType<Exclude<MessageInput, string>> = keptSchema.extend({
  role: keptSchema.shape.role.optional(),
  name: z.string().optional(),
  toolCalls: z.array(toolCallSchema).min(1).optional(),
  toolResponses: z.array(toolResponseSchema).min(1).optional(),
  pictures: z.array(pictureSchema).optional(),
  parts: z.array(partSchema).optional(),
  context: z.record(z.string(), z.unknown()).optional(),
}) as z.ZodType<Exclude<MessageInput, string>>
