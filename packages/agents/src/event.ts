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
  /** Name of the agent or the team; `user` for a task, empty if no agent is involved. */
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
 * An event of a conversation or a task. Plain data. A `message` follows the tokens and the output that led to it.
 *
 * - `chat-start`, `chat-end`: `agent` begins and ends a conversation; nested and queued conversations are nested in it.
 * - `task-start`, `task-end`, `response`: `agent` begins or ends a task or an answer; the first and the last event of `run` and
 *   of `onMessages`.
 * - `message`: `agent` sent a message, to `recipient` in a conversation, to all in a task. Its role is `assistant`, `tool` for
 *   tool results, or `user` for a task.
 * - `text-delta`, `reasoning-delta`, `model-fallback`, `usage`: tokens of a model, a switch to the next model, and the cost.
 *   `thought`: the whole reasoning of a model.
 * - `code-generated`: a model wrote a program; or, with `plan`, it is about to retry. `retryAttempt` counts from 0.
 * - `approval-requested`, `approval-answered`: a question about code or a tool call, and its answer; `remembered` is an earlier
 *   answer that is still valid.
 * - `code-start`, `code`, `code-end`: blocks run; `code` contains each event of the executor, `content` is the text for the model.
 * - `code-skipped`: `agent` does not run programs of a message because another member of the team, `ranBy`, has run them.
 * - `tool-calls`, `tool-results`: a model requests tools, and reads the results. `tool-start`, `tool-output`, `tool-end`: one
 *   call; `tool-output` contains a value that the tool yields before its end.
 * - `human-input-requested`, `human-input-answered`: a question to a person, and the answer. The person is prompted when the
 *   reader requests the next event: a loop body that waits for this answer waits forever.
 * - `no-human-input`: the answer was empty. `auto-reply`: the agent replies automatically.
 * - `speaker-selected`: a team with `emitTeamEvents` has chosen the next speaker.
 * - `notice`: information for the reader. `termination`: the conversation ends, with the reason.
 * - `events-dropped`: this many events were left out because the reader was too far behind.
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
  /** The last text, without TERMINATE in a conversation; empty without a reply. */
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
  /** See `summaryMethod`; empty by default. */
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
   * All events of the run from `task-start` on, in order, without tokens of models, output as it arrives (`stdout`, `stderr`,
   * `result`, `clear`, `tool-output`), and `task-end`, which contains this result.
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

/** Adds an id and the time to an event, unless it has them. */
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

/** Whether `block-end` repeats the content of an executor's event. */
const piecesOfOutput = new Set<ExecutionEvent['type']>(['stdout', 'stderr', 'result', 'clear'])

/** Whether a question is about to be asked. */
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
