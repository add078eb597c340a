import { z } from 'zod'
import type { Message, MessageDraft } from '../message/message.ts'
import { draftSchema } from '../message/spoken-and-heard.ts'

/**
 * What a model gets to read of a conversation. It keeps all that was said and hands out what fits; a call of a tool is
 * never parted from its answers.
 */
export interface ModelContext {
  add(message: Message): Promise<void>
  /** What a model is to read, oldest first. */
  messages(): Promise<readonly Message[]>
  clear(): Promise<void>
  saveState(): Promise<ModelContextState>
  /** @throws FencedError `INVALID_STATE`. */
  loadState(state: ModelContextState): Promise<void>
}

/** What a context keeps, as plain data. */
export interface ModelContextState {
  readonly type: 'ModelContext'
  readonly version: 2
  readonly messages: readonly Message[]
}

/** What every model context can be made with. */
export interface ContextOptions {
  /**
   * What it begins with, and begins with again when it is cleared: messages of the AI SDK, alone or in their envelope. Default
   * nothing.
   */
  readonly initialMessages?: readonly MessageDraft[] | undefined
}

export const contextOptionsShape = { initialMessages: z.array(draftSchema).default([]) } as const
