import type { ChatMessage } from '../message/chat-message.ts'

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
