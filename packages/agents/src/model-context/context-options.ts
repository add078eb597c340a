import { z } from 'zod'
import type { ChatMessage } from '../message/chat-message.ts'
import { chatMessageSchema } from '../message/chat-message-schema.ts'

/** What every model context can be made with. */
export interface ContextOptions {
  /** What it begins with, and begins with again when it is cleared. Default nothing. */
  readonly initialMessages?: readonly ChatMessage[] | undefined
}

export const contextOptionsShape = { initialMessages: z.array(chatMessageSchema).default([]) } as const
