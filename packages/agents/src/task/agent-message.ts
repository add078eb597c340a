import type { CodeApprovalRequest, CodeBlock, CodeResult, ExecutionEvent, Notice } from '@fenced/core'
import type { Picture, ToolCall, ToolResponse } from '../message/chat-message.ts'
import type { UsageSummary } from '../model/usage.ts'

/** What all messages and events of agents have. Plain data. */
interface FromAgent {
  id: string
  /** The name of the agent, or `user`. */
  source: string
  /** When it was made, as ISO 8601. */
  createdAt: string
  /** What models have used for it; absent where none was asked. */
  usage?: UsageSummary
  /** Data of your own. */
  metadata?: Readonly<Record<string, string>>
}

/** Something that is said to other agents. */
export type AgentMessage = TextMessage | StopMessage | HandoffMessage | ToolCallSummaryMessage

/** A text. With pictures it is what AutoGen calls a `MultiModalMessage`. */
export interface TextMessage extends FromAgent {
  type: 'TextMessage'
  content: string
  /** What code has plotted for it; of an agent with the option `pictures`. */
  pictures?: readonly Picture[]
}

/** A text that asks for the end. */
export interface StopMessage extends FromAgent {
  type: 'StopMessage'
  content: string
}

/** A text that gives the task to one agent. */
export interface HandoffMessage extends FromAgent {
  type: 'HandoffMessage'
  content: string
  /** The name of the one who is to go on. */
  target: string
}

/** What came of calls of tools. */
export interface ToolCallSummaryMessage extends FromAgent {
  type: 'ToolCallSummaryMessage'
  content: string
  toolCalls: readonly ToolCall[]
  results: readonly ToolResponse[]
}

/** Something that an agent does on its way to a message. Only who watches sees it; other agents do not. */
export type AgentEvent =
  | CodeGenerationEvent
  | CodeExecutionEvent
  | ThoughtEvent
  | ModelClientStreamingChunkEvent
  | CodeOutputEvent
  | ToolCallRequestEvent
  | ToolCallExecutionEvent
  | ApprovalRequestedEvent
  | ApprovalAnsweredEvent
  | UserInputRequestedEvent
  | SelectSpeakerEvent
  | NoticeEvent

/** A model has written something with code; or, with `plan`, another try is about to be made. */
export interface CodeGenerationEvent extends FromAgent {
  type: 'CodeGenerationEvent'
  /** The number of the try that it belongs to, from 0. */
  retryAttempt: number
  content: string
  codeBlocks: readonly CodeBlock[]
  /** For another try: what went wrong in this one, and what is to be done about it. */
  plan?: { readonly cause: string; readonly correction: string }
}

/** Code has been run, or was not to be run. */
export interface CodeExecutionEvent extends FromAgent {
  type: 'CodeExecutionEvent'
  /** The number of the try, from 0. */
  retryAttempt: number
  result: CodeResult
  /** What the model reads of the result. */
  content: string
}

/** What a model thought before it answered. */
export interface ThoughtEvent extends FromAgent {
  type: 'ThoughtEvent'
  content: string
}

/** A piece of what a model is about to say. */
export interface ModelClientStreamingChunkEvent extends FromAgent {
  type: 'ModelClientStreamingChunkEvent'
  content: string
}

/** An event of the executor while code runs: output as it comes, files, notices. */
export interface CodeOutputEvent extends FromAgent {
  type: 'CodeOutputEvent'
  retryAttempt: number
  event: ExecutionEvent
}

/** A model asks for tools to be called. */
export interface ToolCallRequestEvent extends FromAgent {
  type: 'ToolCallRequestEvent'
  toolCalls: readonly ToolCall[]
}

/** Tools have been called. */
export interface ToolCallExecutionEvent extends FromAgent {
  type: 'ToolCallExecutionEvent'
  results: readonly ToolResponse[]
}

/** Somebody is asked whether code may be run. */
export interface ApprovalRequestedEvent extends FromAgent {
  type: 'ApprovalRequestedEvent'
  request: CodeApprovalRequest
}

/** What was answered. */
export interface ApprovalAnsweredEvent extends FromAgent {
  type: 'ApprovalAnsweredEvent'
  decision: 'allow' | 'deny' | 'edit'
  /** Whether an earlier answer still held. */
  remembered: boolean
  reason?: string
}

/** A person is asked for a text. */
export interface UserInputRequestedEvent extends FromAgent {
  type: 'UserInputRequestedEvent'
  prompt: string
}

/** A team has chosen who speaks next; the team is the source. */
export interface SelectSpeakerEvent extends FromAgent {
  type: 'SelectSpeakerEvent'
  /** The names of the speakers. */
  speakers: readonly string[]
}

/** Something that a reader should know: another model had to step in, an executor failed. */
export interface NoticeEvent extends FromAgent {
  type: 'NoticeEvent'
  notice: Notice
}

/** A message or event without what every one gets when it is made. */
type Unmade<Item> = Item extends FromAgent ? Omit<Item, 'id' | 'createdAt'> : never

/** Makes a message or an event: it gets an id and the time. */
export function made<Item extends AgentMessage | AgentEvent>(item: Unmade<Item>): Item {
  return { id: crypto.randomUUID(), createdAt: new Date().toISOString(), ...item } as unknown as Item
}

/** Whether something is said to other agents, and not only seen by who watches. */
export function isMessage(item: { readonly type: string }): item is AgentMessage {
  return ['TextMessage', 'StopMessage', 'HandoffMessage', 'ToolCallSummaryMessage'].includes(item.type)
}
