import type { AnswerPart, ToolCall } from '../message/chat-message.ts'
import type { Usage } from './usage.ts'

/** What a model answered. */
export interface ModelReply {
  /** Empty where it said nothing. What it thought is among the `parts`. */
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  /** See `ChatMessage.parts`. */
  readonly parts?: readonly AnswerPart[]
  /** Of the model that answered. */
  readonly modelId: string
  /** Why it ended: `length` is an answer that reached the limit of tokens and has no end. */
  readonly finishReason: 'stop' | 'length' | 'tool-calls' | 'other'
}

/** What happens while a model is asked. */
export type ModelEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  /** A model failed and the next one of the chain is asked; what it had said so far does not count. */
  | { type: 'model-fallback'; modelId: string; nextModelId: string; message: string }
  /** Of one call, also of one that failed after it had reported it. */
  | { type: 'usage'; modelId: string; usage: Usage }
