import type {
  ApprovalRequest,
  AskKind,
  AskKinds,
  CodeApprovalRequest,
  CodeBlock,
  CodeResult,
  ExecutionEvent,
  Notice,
  OutputFile,
  ToolApprovalRequest,
} from '@fenced/core'
import type { HumanInputRequest } from './human-input/human-input.ts'
import { type Message, type MessageOrigin, textOf } from './message/message.ts'
import type { ToolCall, ToolResponse } from './message/tool-parts.ts'
import type { Usage, UsageSummary } from './usage.ts'

interface EventFacts {
  /** Unique id. */
  id: string
  /** Time of the event, in ISO 8601 format. */
  createdAt: string
  /** Name of the agent or team; `user` for a task, empty if no agent is involved. */
  agent: string
}

/** Events of a model call. */
export type ModelEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  /** A model failed and the next one answers. Ignore the text of the failed model. */
  | { type: 'model-fallback'; modelId: string; nextModelId: string; message: string }
  /** Usage of one call, including calls that fail after they reported it. */
  | { type: 'usage'; modelId: string; usage: Usage }

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
      answer: AskKinds[AskKind]['answer']
      remembered: boolean
    }
  | { type: 'approval-withdrawn'; requestId: string }
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
 * An event in a conversation or a task, as plain data. A `message` follows the tokens and output that led to it.
 *
 * - `chat-start`, `chat-end`: `agent` starts or ends a conversation. Nested and queued conversations appear inside the outer one.
 * - `task-start`, `task-end`, `response`: `agent` starts or ends a task, or answers. These are the first and last events of `run`
 *   and `onMessages`.
 * - `message`: `agent` sent a message, to `recipient` in a conversation or to all in a task. Its role is `assistant`, `tool` for
 *   tool results, or `user` for a task.
 * - `text-delta`, `reasoning-delta`, `model-fallback`, `usage`: a model's tokens, a switch to the next model, and the usage.
 *   `thought`: a model's complete reasoning.
 * - `code-generated`: a model wrote a program or, with `plan`, is about to retry. `retryAttempt` counts from 0.
 * - `approval-requested`, `approval-answered`, `approval-withdrawn`: a question of any kind, its answer, or that nothing waits for the
 *   answer anymore. `remembered` marks an earlier answer that still applies.
 * - `code-start`, `code`, `code-end`: blocks run. `code` contains one event of the executor; `content` is the text for the model.
 * - `code-skipped`: `agent` does not run the programs in a message because another team member, `ranBy`, has already run them.
 * - `tool-calls`, `tool-results`: a model calls tools and reads the results. `tool-start`, `tool-output`, `tool-end`: one call;
 *   `tool-output` contains a value that the tool yields before it finishes.
 * - `human-input-requested`, `human-input-answered`: a question to a person, and the answer. The person is prompted when the
 *   reader requests the next event, so a loop body that waits for the answer waits forever.
 * - `no-human-input`: the answer was empty. `auto-reply`: the agent replies automatically.
 * - `speaker-selected`: a team with `emitTeamEvents` selected the next speaker.
 * - `notice`: information for the reader. `termination`: the conversation ends, for the given reason.
 * - `events-dropped`: the number of events left out because the reader fell too far behind.
 */
export type AgentEvent = EventFacts & EventDetails

/** An event whose id and time may be missing. */
export type EventInit = Partial<EventFacts> & Pick<EventFacts, 'agent'> & EventDetails

/** The events of one type, selected by the type's name. */
export type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>

/** What went wrong in a try, and what the next one does about it. */
interface Plan {
  readonly cause: string
  readonly correction: string
}

/** An answer to a question about code or a tool call that a page can offer as a button. */
export interface ApprovalChoice {
  readonly decision: 'allow' | 'deny' | 'edit'
  /** See `remember` in `ApprovalAnswer`. */
  readonly remember?: 'code' | 'conversation'
}

/** The outcome of a conversation or task, as plain data. */
interface RunResult {
  /**
   * `cancelled` if the caller's signal ended it, or the caller left the loop over the events; `waiting` if it waits for answers to
   * `questions`.
   */
  status: 'done' | 'cancelled' | 'waiting'
  /** The questions of a run that is `waiting`. @default absent */
  questions?: readonly OpenQuestion[]
  /** The state from which such a run continues: see `resume`. @default absent */
  state?: AgentState
  /** The last text; in a conversation, without TERMINATE. Empty if there was no reply. */
  text: string
  /** Files that programs created or changed, including in nested conversations. Each file appears once. */
  files: readonly OutputFile[]
  /** Usage of all models that were called. In a task, usage is taken from the messages. */
  usage: UsageSummary
  /** All messages, in order. */
  messages: readonly Message[]
  /** Reason for the end, as a sentence. Absent if an agent simply answered. */
  stopReason?: string
}

/** The outcome of a conversation. */
export interface ChatResult extends RunResult {
  /** The messages as stored by the agent that started the conversation. */
  messages: readonly Message[]
  /** Summary created by `summaryMethod`. Empty if it returned no text. */
  summary: string
  /** Author of the summary: `program` if it repeats the output of a program. */
  summaryOrigin: MessageOrigin
  /** Input that a person typed for the agent that started the conversation, in order, including empty answers and `exit`. */
  humanInput: readonly string[]
  stopReason: string
}

/** The outcome of a task. */
export interface TaskResult extends RunResult {
  /** All messages, starting with the task. */
  messages: readonly Message[]
  /**
   * All events of the run, in order from `task-start`, except `task-end`, which contains this result, and pieces of model text
   * and output (`stdout`, `stderr`, `result`, `clear`, `tool-output`).
   */
  events: readonly AgentEvent[]
}

/** An agent's answer to messages. */
export interface Response {
  message: Message
  /** All events that a loop receives before `response`, with the same exceptions as `events` in a `TaskResult`. */
  events: readonly AgentEvent[]
  /** Reason for ending early, as a sentence. Absent if the agent simply answered. */
  stopReason?: string
}

/** Creates an event: adds an id and the time, unless they are given. */
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

/** A question about code or a call of a tool. */
type ApprovalQuestion = CodeApprovalRequest | ToolApprovalRequest

/** A question without an answer, and the name of the agent that asks it. */
export interface OpenQuestion {
  readonly agent: string
  readonly request: ApprovalQuestion | HumanInputRequest
}

/** The state of an agent or a team, as plain data. */
export interface AgentState {
  readonly type: string
  readonly version: number
  readonly [field: string]: unknown
}
