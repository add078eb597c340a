import type { FlexibleSchema } from 'ai'
import type { ChatMessage } from '../message/chat-message.ts'
import type { ModelEvent } from './model-reply.ts'

/** What a model is asked. */
export interface ModelRequest {
  /** Its instructions, before all messages. */
  readonly instructions?: string | undefined
  /** The conversation as the asking agent keeps it: what the model said has the role `assistant`. */
  readonly messages: readonly ChatMessage[]
  /** Whether it is given the pictures of the messages. Default `false`: it reads of them. */
  readonly pictures?: boolean | undefined
  /** What it may ask to be called, by name. Default none. */
  readonly tools?: Readonly<Record<string, ToolDeclaration>> | undefined
}

/** A tool, as a model gets to know it. Who asks the model is the one to call it. */
export interface ToolDeclaration {
  /** What it does and when to call it. */
  readonly description?: string | ((options: never) => string) | undefined
  /** The arguments: a zod schema, or any other that the AI SDK takes. */
  readonly inputSchema: FlexibleSchema<unknown>
}

/** How a model is asked. */
export interface AskOptions {
  /** Ends the request at once, and rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Called with what happens, in order; the model waits for a promise that it returns. What it throws ends the request. */
  readonly onEvent?: ((event: ModelEvent) => void | Promise<void>) | undefined
}
