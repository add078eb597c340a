import type {
  ApprovalAnswer,
  ApprovalRequest,
  ApprovalTarget,
  CodeBlock,
  CodeStatus,
  ExecutionEvent,
  InputAnswer,
  NetworkApprovalAnswer,
  Notice,
  RememberedApproval,
} from '@fenced/core'

/**
 * What happens in a conversation, as plain data. The log of these events is all there is of it: the page, an export and what
 * the model reads are made of them.
 *
 * What agents report as well has the name that it has in their `AgentEvent`: `message`, `text-delta`, `code-start`, `code`, `code-end`,
 * `approval-requested`, `approval-answered`, `notice`.
 */
export type ConversationEvent =
  /** A person speaks. */
  | { readonly type: 'message'; readonly messageId: string; readonly content: string }
  /** A document is run, without a model. */
  | {
      readonly type: 'document'
      readonly documentId: string
      readonly name: string
      readonly content: string
    }
  /** A file that a person has put into the working directory. */
  | { readonly type: 'upload'; readonly path: string; readonly sizeBytes: number }
  | { readonly type: 'turn-start' }
  | {
      readonly type: 'turn-end'
      readonly status: TurnStatus
      /** What happened, where, and what to do; of a turn that failed. */
      readonly message?: string
      /** Code of the `FencedError` that ended the turn. */
      readonly code?: string
      /** The values in the message, by name, without keys. */
      readonly data?: Readonly<Record<string, string>>
    }
  | { readonly type: 'answer-start'; readonly answerId: string; readonly model: string }
  /** More of the text of an answer. */
  | { readonly type: 'text-delta'; readonly answerId: string; readonly text: string }
  /** An answer that is not `complete` is not run. */
  | {
      readonly type: 'answer-end'
      readonly answerId: string
      readonly complete: boolean
      /** Whether it was cut off at the limit of tokens of its model; absent where it was not. A block without an end is not run. */
      readonly isCut?: true
    }
  | {
      readonly type: 'code-start'
      readonly runId: string
      /** Of the answer or document that has the blocks. */
      readonly of: string
      readonly blocks: readonly CodeBlock[]
      /** Names of host functions that programs can call; absent without such functions. */
      readonly tools?: readonly string[]
      /** Of the run that is repeated. */
      readonly repeats?: string
    }
  /** A question to a person, of any kind: may code run, a tool be called, a host be connected to, a package be installed; which line does a program read. */
  | {
      readonly type: 'approval-requested'
      readonly runId: string
      /** Digest of the request. An answer names it. */
      readonly digest: string
      readonly request: ApprovalRequest
    }
  | {
      readonly type: 'approval-answered'
      readonly runId: string
      readonly requestId: string
      /** As it was given, with the programs of an edit, and without the text of a secret. */
      readonly answer: GivenAnswer
      /** Whether a remembered answer applied. */
      readonly remembered: boolean
    }
  /** What asked does not wait any more. */
  | { readonly type: 'approval-withdrawn'; readonly runId: string; readonly requestId: string }
  | { readonly type: 'code'; readonly runId: string; readonly event: LoggedCodeEvent }
  | {
      readonly type: 'code-end'
      readonly runId: string
      readonly result: RunResult
      /** What the model reads of it. */
      readonly content: string
    }
  /** How the start of the executor goes: an image is pulled, packages are installed. */
  | { readonly type: 'notice'; readonly notice: Notice }
  /** The remembered answers, whenever they change. */
  | {
      readonly type: 'remembered'
      readonly approvals: readonly RememberedApproval[]
      readonly connections: readonly RememberedConnection[]
    }

/** An answer of a person, of the kind of its question. A permission to connect can apply to its run, or to all later connections of the conversation to that host. */
export type GivenAnswer = ApprovalAnswer | NetworkApprovalAnswer | InputAnswer

/** A host that programs of a conversation may connect to without a question, though it is not in the list of their sandbox. */
export interface RememberedConnection {
  /** The id of the request that was answered. */
  readonly id: string
  readonly host: string
  readonly port: number
  /** Where it holds, and nowhere else. */
  readonly target: ApprovalTarget
}

/** How a turn ended. `interrupted`: the server ended in the middle of it. */
export type TurnStatus = 'done' | 'stopped' | 'failed' | 'interrupted'

/** An event of an execution, but for questions and its end, and what was left out of the log to keep it within its limit. */
export type LoggedCodeEvent =
  | Exclude<
      ExecutionEvent,
      { type: 'execution-end' | 'approval-requested' | 'approval-answered' | 'block-end' }
    >
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
  readonly durationMs: number
}

/** An event with its position in the log. */
export interface LoggedEvent {
  /** The number of the event in its conversation, from 1. */
  readonly seq: number
  /** When it happened, as ISO 8601. */
  readonly createdAt: string
  readonly event: ConversationEvent
}

/** A row of the list of conversations. */
export interface ConversationSummary {
  readonly id: string
  readonly title: string
  /** Ids of its executor and its model. */
  readonly executor: string
  readonly model: string
  /** The Python packages that a person has named for it. */
  readonly packages: readonly string[]
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
