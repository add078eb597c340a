import type {
  AssistantContent,
  FlexibleSchema,
  LanguageModel,
  LanguageModelCallOptions,
  ModelMessage,
  ProviderMetadata,
  RequestOptions,
  ToolChoice,
  ToolSet,
} from 'ai'
import type { ModelEvent } from '../event.ts'
import type { ToolCall } from '../message/tool-parts.ts'

export interface ModelRequest {
  readonly instructions?: string | undefined
  /** The conversation as the asking agent keeps it: what the model said has the role `assistant`. */
  readonly messages: readonly ModelMessage[]
  /** Whether the model receives the pictures of the messages. Otherwise it reads about them. @default false */
  readonly pictures?: boolean | undefined
  /** Tools that the model may call, by name. @default none */
  readonly tools?: Readonly<Record<string, ToolDeclaration>> | undefined
}

/** A tool as a model sees it. The caller of the model executes it. */
export interface ToolDeclaration {
  /** Its effect and when to call it. */
  readonly description?: string | ((options: never) => string) | undefined
  /** The arguments: a zod schema, or any other that the AI SDK takes. */
  readonly inputSchema: FlexibleSchema<unknown>
}

export interface AskOptions {
  /** Ends the request at once, and rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Called with what happens, in order; the model waits for a promise that it returns. What it throws ends the request. */
  readonly onEvent?: ((event: ModelEvent) => void | Promise<void>) | undefined
}

export interface ModelReply {
  /** Empty where it said nothing. */
  readonly text: string
  /** All that it said, with its calls, what it thought and what its provider wants back. */
  readonly content: AssistantContent
  readonly toolCalls: readonly ToolCall[]
  readonly modelId: string
  /** Why it ended: `length` is an answer that reached the limit of tokens and has no end. */
  readonly finishReason: 'stop' | 'length' | 'tool-calls' | 'other'
}

/**
 * AI SDK settings for every request: `temperature`, `maxOutputTokens`, `topP`, `seed`, `stopSequences`, `headers`, `maxRetries`
 * (default 2), `timeout` in milliseconds (default: none) and so on. They apply to all models in a chain; for settings of a single
 * model, use the SDK's `defaultSettingsMiddleware`.
 */
export interface ModelOptions extends LanguageModelCallOptions, Omit<RequestOptions, 'abortSignal'> {
  /** Whether the model may, must or must not call tools. Sent only if there are tools. @default 'auto' */
  toolChoice?: ToolChoice<ToolSet>
  /** Provider-specific settings, keyed by provider name. */
  providerOptions?: ProviderMetadata
}

export const isFunction = (value: unknown): boolean => typeof value === 'function'

/** Whether a value is an object with a method. */
export const hasMethod = (name: string) => (value: unknown) =>
  typeof value === 'object' && value !== null && isFunction((value as Record<string, unknown>)[name])

/** Whether a value is a model of the AI SDK: an id, or an object that answers in a stream or at once. */
export const isModel = (value: unknown): value is LanguageModel =>
  (typeof value === 'string' && value !== '') ||
  hasMethod('doStream')(value) ||
  hasMethod('doGenerate')(value)
