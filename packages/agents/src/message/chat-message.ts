import type { ProviderMetadata } from 'ai'

/**
 * One message of a conversation, as one agent keeps it: what it said itself has the role `assistant`, what it heard
 * `user`, and answers to tool calls `tool`. Plain data.
 */
export interface ChatMessage {
  role: 'user' | 'assistant' | 'tool' | 'system'
  /** May be empty, also beside tool calls. */
  content: string
  /** Who said it. */
  name?: string
  /** What the speaker asks the other one to call. */
  toolCalls?: readonly ToolCall[]
  /** Answers to the tool calls of the message before, in their order. */
  toolResponses?: readonly ToolResponse[]
  /** Data for the functions and hooks that see the message. A model does not. */
  context?: Readonly<Record<string, unknown>>
}

/** What is given where a message is asked for: its text, or the message. The role is given to it on its way. */
export type MessageInput = string | (Omit<ChatMessage, 'role'> & { role?: ChatMessage['role'] })

/** A tool that a model wants to be called. */
export interface ToolCall {
  id: string
  name: string
  /** The arguments; the raw text where it is no JSON. */
  input: unknown
  /** Why the arguments cannot be used, where they cannot. */
  invalid?: string
  /** What the model's provider wants back with the call, such as a signature of the thoughts that led to it. */
  providerOptions?: ProviderMetadata
}

/** What became of a {@link ToolCall}. */
export interface ToolResponse {
  toolCallId: string
  name: string
  content: string
  /** Whether the call failed: an unknown tool, wrong arguments, an error of the tool's own. */
  isError?: boolean
}
