import type {
  AssistantContent,
  FlexibleSchema,
  LanguageModelCallOptions,
  ModelMessage,
  ProviderMetadata,
  RequestOptions,
  ToolChoice,
  ToolSet,
} from 'ai'
import type { ToolCall } from '../message/tool-parts.ts'
import type { Usage } from '../usage.ts'

/** What a model is asked. */
export interface ModelRequest {
  /** Its instructions, before all messages. */
  readonly instructions?: string | undefined
  /** The conversation as the asking agent keeps it: what the model said has the role `assistant`. */
  readonly messages: readonly ModelMessage[]
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

/** What a model answered. */
export interface ModelReply {
  /** Empty where it said nothing. */
  readonly text: string
  /** All that it said, with its calls, what it thought and what its provider wants back. */
  readonly content: AssistantContent
  readonly toolCalls: readonly ToolCall[]
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

/**
 * What is passed on with every request, as the AI SDK has it: `temperature`, `maxOutputTokens`, `topP`, `seed`,
 * `stopSequences`, `headers`, `maxRetries` (default 2), `timeout` in milliseconds (default none) and so on. The same for
 * all models of a chain; the SDK's `defaultSettingsMiddleware` gives one of them settings of its own.
 */
export interface ModelOptions extends LanguageModelCallOptions, Omit<RequestOptions, 'abortSignal'> {
  /** Whether tools may, must or must not be called. Only sent along with tools. Default `auto`. */
  toolChoice?: ToolChoice<ToolSet>
  /** Settings of one provider, by its name. */
  providerOptions?: ProviderMetadata
}
