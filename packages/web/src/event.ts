import type {
  ApprovalAnswer,
  CodeBlock,
  CodeStatus,
  ExecutionEvent,
  Notice,
  RememberedApproval,
  ToolApprovalRequest,
} from '@fenced/core'

/**
 * What happens in a conversation, as plain data. The log of these events is all there is of it: the page, an export and what
 * the model reads are made of them.
 */
export type ConversationEvent =
  /** A person speaks. */
  | { readonly type: 'message'; readonly id: string; readonly text: string }
  /** A document is run, without a model. */
  | { readonly type: 'document'; readonly id: string; readonly name: string; readonly text: string }
  /** A file that a person has put into the working directory. */
  | { readonly type: 'upload'; readonly path: string; readonly sizeBytes: number }
  | { readonly type: 'turn-start' }
  | {
      readonly type: 'turn-end'
      readonly status: TurnStatus
      /** What happened, where, and what to do; of a turn that failed. */
      readonly message?: string
    }
  | { readonly type: 'answer-start'; readonly id: string; readonly model: string }
  /** More of the text of an answer. */
  | { readonly type: 'answer-text'; readonly id: string; readonly text: string }
  /** An answer that is not `complete` is not run. */
  | { readonly type: 'answer-end'; readonly id: string; readonly complete: boolean }
  | {
      readonly type: 'run-start'
      readonly id: string
      /** Of the answer or document that has the blocks. */
      readonly of: string
      readonly blocks: readonly CodeBlock[]
      /** Of the run that is repeated. */
      readonly repeats?: string
    }
  | { readonly type: 'run'; readonly id: string; readonly event: LoggedRunEvent }
  | { readonly type: 'run-end'; readonly id: string; readonly result: RunResult }
  /** How the start of the executor goes: an image is pulled, packages are installed. */
  | { readonly type: 'executor-notice'; readonly notice: Notice }
  /** The answers that hold on, whenever they change. */
  | { readonly type: 'remembered'; readonly approvals: readonly RememberedApproval[] }

/** How a turn ended. `interrupted`: the server ended in the middle of it. */
export type TurnStatus = 'done' | 'stopped' | 'failed' | 'interrupted'

/**
 * An event of a run: those of an execution, but for its end, with the answers as they were given, and what was left out of
 * the log to keep it within its limit.
 */
export type LoggedRunEvent =
  | Exclude<ExecutionEvent, { type: 'execution-end' | 'approval-answered' | 'block-end' }>
  | {
      readonly type: 'approval-answered'
      readonly id: string
      readonly answer: ApprovalAnswer
      /** Whether an earlier answer held, so that nobody was asked. */
      readonly remembered: boolean
    }
  | { readonly type: 'tool-approval-requested'; readonly request: ToolApprovalRequest }
  | { readonly type: 'tool-approval-answered'; readonly id: string; readonly answer: ApprovalAnswer }
  /** Live output that is not in the log, in characters so far. */
  | { readonly type: 'output-dropped'; readonly index: number; readonly characters: number }
  | {
      readonly type: 'block-end'
      readonly index: number
      readonly status: CodeStatus | 'skipped'
      readonly exitCode: number
      readonly durationMs: number
      readonly notices: readonly Notice[]
    }

/** How a run ended, without the output, which its events have. */
export interface RunResult {
  /** `interrupted`: the server ended in the middle of it. */
  readonly status: CodeStatus | 'interrupted'
  readonly exitCode: number
  /** What the model reads of it. */
  readonly reply: string
  readonly durationMs: number
}

/** An event with its position in the log. */
export interface LoggedEvent {
  /** The number of the event in its conversation, from 1. */
  readonly seq: number
  /** When it happened, in milliseconds since 1970. */
  readonly at: number
  readonly event: ConversationEvent
}

/** A row of the list of conversations. */
export interface ConversationSummary {
  readonly id: string
  readonly title: string
  /** Ids of its executor and its model. */
  readonly executor: string
  readonly model: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly isWorking: boolean
}

/** A file of a conversation. */
export interface FileEntry {
  /** Below the working directory, with `/` between the parts. */
  readonly path: string
  readonly sizeBytes: number
}
