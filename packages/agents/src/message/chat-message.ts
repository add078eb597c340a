import type { AssistantContent, ProviderMetadata } from 'ai'

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
  /** What code has plotted, and `content` names. A model is given it where its agent has the option `pictures`. */
  pictures?: readonly Picture[]
  /**
   * The whole answer of a model, as its provider wants it back: also what it thought, with signatures, and what the
   * provider has called by itself. Absent where text and calls are all. Only the agent whose model it is has it, and it is
   * left out where a hook has changed `content` or the calls.
   */
  parts?: readonly AnswerPart[]
  /** Data for the functions and hooks that see the message. A model does not. */
  context?: Readonly<Record<string, unknown>>
}

/** A part of an answer of a model, as the AI SDK has it. */
export type AnswerPart = Exclude<AssistantContent, string>[number]

/** A picture that a model can be shown. */
export interface Picture {
  /** Such as `image/png`. */
  mediaType: string
  /** Base64. */
  data: string
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
  /** What it shows beside the text, as a message has it. */
  pictures?: readonly Picture[]
  /** Whether the call failed: an unknown tool, wrong arguments, an error of the tool's own. */
  isError?: boolean
}
