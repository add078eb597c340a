import { z } from 'zod'
import type { ChatMessage } from '../message/chat-message.ts'
import { chatMessageSchema } from '../message/chat-message-schema.ts'

/**
 * What a model gets to read of a conversation. It keeps all that was said and hands out what fits; a call of a tool is
 * never parted from its answers.
 */
export interface ModelContext {
  add(message: ChatMessage): Promise<void>
  /** What a model is to read, oldest first. */
  messages(): Promise<readonly ChatMessage[]>
  clear(): Promise<void>
  saveState(): Promise<ModelContextState>
  /** @throws FencedError `INVALID_STATE`. */
  loadState(state: ModelContextState): Promise<void>
}

/** What a context keeps, as plain data. */
export interface ModelContextState {
  readonly type: 'ModelContext'
  readonly version: 1
  readonly messages: readonly ChatMessage[]
}

/** What every model context can be made with. */
export interface ContextOptions {
  /** What it begins with, and begins with again when it is cleared. Default nothing. */
  readonly initialMessages?: readonly ChatMessage[] | undefined
}

export const contextOptionsShape = { initialMessages: z.array(chatMessageSchema).default([]) } as const
