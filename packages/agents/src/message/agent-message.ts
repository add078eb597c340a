import type { UsageSummary } from '../model/usage.ts'
import type { Picture, ToolCall, ToolResponse } from './chat-message.ts'

/** What all messages between agents have. Plain data. */
interface FromAgent {
  id: string
  /** The name of the agent, or `user`. */
  source: string
  /** When it was made, as ISO 8601. */
  createdAt: string
  content: string
  /** What models have used for it; absent where none was asked. */
  usage?: UsageSummary
  /** Data of your own. */
  metadata?: Readonly<Record<string, string>>
}

/** Something that is said to the other agents of a team. */
export type AgentMessage = TextMessage | StopMessage | HandoffMessage | ToolCallSummaryMessage

/** A text. With pictures it is what AutoGen calls a `MultiModalMessage`. */
export interface TextMessage extends FromAgent {
  type: 'TextMessage'
  /** What code has plotted for it; of an agent with the option `pictures`. */
  pictures?: readonly Picture[]
}

/** A text that asks for the end. */
export interface StopMessage extends FromAgent {
  type: 'StopMessage'
}

/** A text that gives the task to one agent. */
export interface HandoffMessage extends FromAgent {
  type: 'HandoffMessage'
  /** The name of the agent that is to continue. */
  target: string
}

/** What came of calls of tools. */
export interface ToolCallSummaryMessage extends FromAgent {
  type: 'ToolCallSummaryMessage'
  toolCalls: readonly ToolCall[]
  results: readonly ToolResponse[]
}

/** A message before it has an id and its time. */
type MessageInit<Message> = Message extends AgentMessage ? Omit<Message, 'id' | 'createdAt'> : never

/** Gives a message its id and the time. */
export function createMessage(message: MessageInit<AgentMessage>): AgentMessage {
  return { id: crypto.randomUUID(), createdAt: new Date().toISOString(), ...message }
}

export function isAgentMessage({ type }: { readonly type: string }): boolean {
  return ['TextMessage', 'StopMessage', 'HandoffMessage', 'ToolCallSummaryMessage'].includes(type)
}
