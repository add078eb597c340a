import type { ApprovalRequest, CodeBlock, CodeResult, ExecutionEvent, Notice, OutputFile } from '@fenced/core'
import type { HumanInputRequest } from './human-input/human-input.ts'
import { type Message, textOf } from './message/message.ts'
import type { ToolCall, ToolResponse } from './message/tool-parts.ts'
import type { ModelEvent } from './model/model-request.ts'
import type { UsageSummary } from './usage.ts'

/** What every event has. */
interface EventFacts {
  /** Unique. */
  id: string
  /** When it happened, as ISO 8601. */
  createdAt: string
  /** The name of the agent or the team that does it; `user` for a task, empty where nobody does. */
  agent: string
}

/** The facts by type. See {@link AgentEvent}. */
type EventDetails =
  | { type: 'chat-start'; recipient: string; queueIndex?: number }
  | { type: 'chat-end'; recipient: string; result: ChatResult }
  | { type: 'task-start' }
  | { type: 'task-end'; result: TaskResult }
  | { type: 'response'; response: Response }
  | { type: 'message'; recipient?: string; message: Message }
  | ModelEvent
  | { type: 'thought'; content: string }
  | {
      type: 'code-generated'
      retryAttempt: number
      content: string
      codeBlocks: readonly CodeBlock[]
      plan?: Plan
    }
  | { type: 'approval-requested'; request: ApprovalRequest; choices: readonly ApprovalChoice[] }
  | {
      type: 'approval-answered'
      requestId: string
      decision: 'allow' | 'deny' | 'edit'
      remembered: boolean
      reason?: string
    }
  | { type: 'code-start'; blocks: readonly CodeBlock[] }
  | { type: 'code-skipped'; messageId: string; ranBy: string; blocks: readonly CodeBlock[] }
  | { type: 'code'; retryAttempt: number; event: ExecutionEvent }
  | { type: 'code-end'; retryAttempt: number; result: CodeResult; content: string }
  | { type: 'tool-calls'; content: string; toolCalls: readonly ToolCall[] }
  | { type: 'tool-start'; call: ToolCall }
  | { type: 'tool-output'; call: ToolCall; output: unknown }
  | { type: 'tool-end'; call: ToolCall; response: ToolResponse }
  | { type: 'tool-results'; results: readonly ToolResponse[] }
  | { type: 'human-input-requested'; request: HumanInputRequest }
  | { type: 'human-input-answered'; requestId: string; text: string }
  | { type: 'no-human-input' }
  | { type: 'auto-reply' }
  | { type: 'speaker-selected'; speakers: readonly string[] }
  | { type: 'notice'; notice: Notice }
  | { type: 'termination'; reason: string }
  | { type: 'events-dropped'; count: number }

/**
 * What happens in a conversation or a task, in order. Plain data. A `message` comes when it has been said; what led to it, tokens
 * of a model or output of a program, comes before.
 *
 * - `chat-start`, `chat-end`: `agent` begins a conversation; nested ones and those of a queue stand inside of each other.
 * - `task-start`, `task-end`, `response`: `agent` begins a task, or to answer messages, and is done; the first and the last event of
 *   `run` and of `onMessages`.
 * - `message`: `agent` has said it, in a conversation to `recipient`, in a task to all. Its role is `assistant`, `tool` for answers to
 *   calls of tools, and `user` for a task.
 * - `text-delta`, `reasoning-delta`, `model-fallback`, `usage`: a model is asked: its tokens as they come, whether another one had
 *   to step in, and what it cost. `thought`: what a model thought, whole.
 * - `code-generated`: a model has written a program; or, with `plan`, another try is about to be made. `retryAttempt` counts the
 *   tries from 0.
 * - `approval-requested`, `approval-answered`: somebody is asked whether code may be run or a tool called, and has answered;
 *   `remembered` is an earlier answer that still holds.
 * - `code-start`, `code`, `code-end`: blocks are run; `code` holds each event of the executor, `content` is what a model reads.
 * - `code-skipped`: `agent` does not run programs of a message, because `ranBy`, another member of the team, has run them.
 * - `tool-calls`, `tool-results`: a model asks for tools, and reads what they answered. `tool-start`, `tool-output`, `tool-end`: one of
 *   them is called; `tool-output` holds what it yields before its end.
 * - `human-input-requested`, `human-input-answered`: a person is asked, and has answered. The person is asked when the reader of the
 *   events comes back for the next one: a loop body that waits for the answer to this very question waits forever.
 * - `no-human-input`: the answer was empty. `auto-reply`: the agent answers by itself.
 * - `speaker-selected`: a team has chosen who speaks next; of a team with `emitTeamEvents`.
 * - `notice`: something that a reader should know. `termination`: the conversation ends, and why.
 * - `events-dropped`: nobody was iterating for so long that this many events were left out here.
 */
export type AgentEvent = EventFacts & EventDetails

/** An event before it has an id and its time. */
export type EventInit = Partial<EventFacts> & Pick<EventFacts, 'agent'> & EventDetails

/** An event of one type, by the type's name. */
export type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>

/** What went wrong in a try, and what the next one does about it. */
interface Plan {
  readonly cause: string
  readonly correction: string
}

/** An answer to a question about code or a tool, as a page can offer it on a button. */
export interface ApprovalChoice {
  readonly decision: 'allow' | 'deny' | 'edit'
  /** See `remember` of an `ApprovalAnswer`. */
  readonly remember?: 'code' | 'conversation'
}

/** What a conversation or a task came to. Plain data. */
interface RunResult {
  /** `cancelled` when the caller's signal, or leaving the loop over the events, ended it. */
  status: 'done' | 'cancelled'
  /** What was said last, without TERMINATE in a conversation; empty where nobody has answered. */
  text: string
  /** The files that programs have made or changed, each once, also in nested conversations. */
  files: readonly OutputFile[]
  /** Of every model that was asked; in a task as far as the messages tell. */
  usage: UsageSummary
  /** What was said, in order. */
  messages: readonly Message[]
  /** Why it ended: a sentence; absent where an agent simply answered. */
  stopReason?: string
}

/** What a conversation came to. */
export interface ChatResult extends RunResult {
  /** As the one who began it keeps them. */
  messages: readonly Message[]
  /** See `summaryMethod`; empty without one. */
  summary: string
  /** What a person typed for the one who began it, in order, also empty answers and `exit`. */
  humanInput: readonly string[]
  stopReason: string
}

/** What a task came to. */
export interface TaskResult extends RunResult {
  /** The task itself first. */
  messages: readonly Message[]
  /**
   * All events that a loop over the run gets, in order, from `task-start` on, except these: tokens of models, output of programs and
   * tools as it comes (`stdout`, `stderr`, `result`, `clear`, `tool-output`), and `task-end`, which holds this result.
   */
  events: readonly AgentEvent[]
}

/** What an agent answers to messages. */
export interface Response {
  message: Message
  /** All events that a loop gets before `response`, with the exceptions of `events` in a `TaskResult`. */
  events: readonly AgentEvent[]
  /** Why it ended before it was done: a sentence; absent where it simply answered. */
  stopReason?: string
}

/** Gives an event its id and the time; one that comes from another run has them. */
export function createEvent<Type extends AgentEvent['type']>(
  init: EventInit & { readonly type: Type },
): EventOf<Type> {
  const isMade = init.id !== undefined && init.createdAt !== undefined
  return (
    isMade ? init : { id: crypto.randomUUID(), createdAt: new Date().toISOString(), ...init }
  ) as EventOf<Type>
}

/** Whether an event is a piece of text or output, which comes whole in a later event: results leave it out. */
export function isDelta(event: AgentEvent): boolean {
  if (event.type === 'code') return piecesOfOutput.has(event.event.type)
  return ['text-delta', 'reasoning-delta', 'tool-output'].includes(event.type)
}

/** Of an executor's events: what remains of them is in `block-end`. */
const piecesOfOutput = new Set<ExecutionEvent['type']>(['stdout', 'stderr', 'result', 'clear'])

/** Whether somebody is about to be asked. */
export function isPrompt({ type }: Pick<AgentEvent, 'type'>): boolean {
  return type === 'human-input-requested' || type === 'approval-requested'
}

/** How much text an event holds, in UTF-16 code units. */
export function textLength(event: AgentEvent): number {
  switch (event.type) {
    case 'message':
      return textOf(event.message).length
    case 'response':
      return textOf(event.response.message).length
    case 'text-delta':
    case 'reasoning-delta':
      return event.text.length
    case 'code':
      return 'text' in event.event ? event.event.text.length : 0
    case 'code-end':
      return event.result.output.length
    case 'tool-end':
      return event.response.content.length
    default:
      return 'content' in event ? event.content.length : 0
  }
}
