import type {
  ApprovalAnswer,
  ApprovalEvent,
  ApprovalRequest,
  ApprovalTarget,
  BlockUsage,
  CodeBlock,
  CodeStatus,
  ExecutionEvent,
  InputAnswer,
  NetworkApprovalAnswer,
  Notice,
  ProgramError,
  RememberedApproval,
} from '@fenced/core'

/**
 * An event of a conversation, as plain data. The page and exports show nothing else. What agents remember is in
 * their states, which are stored with the events.
 *
 * Events that agents also report have the same name as in `AgentEvent`: `message`, `text-delta`, `code-start`, `code`,
 * `code-end`, `approval-requested`, `approval-answered`, `notice`.
 */
export type ConversationEvent =
  /** A person sends a message. */
  | { readonly type: 'message'; readonly messageId: string; readonly content: string }
  /** A document is run without a model. */
  | {
      readonly type: 'document'
      readonly documentId: string
      readonly name: string
      readonly content: string
    }
  /** A person uploads a file to the working directory. */
  | { readonly type: 'upload'; readonly path: string; readonly sizeBytes: number }
  | {
      readonly type: 'turn-start'
      /**
       * Position after which the agents said something that they do not remember, because the server or the turn ended first. They
       * continue from there, so answers and tool calls after it no longer count.
       */
      readonly after?: number
    }
  | {
      readonly type: 'turn-end'
      readonly status: TurnStatus
      /** What happened, where, and what to do, if the turn failed. */
      readonly message?: string
      /** Code of the `FencedError` that ended the turn. */
      readonly code?: string
      /** Values used in the message, keyed by name, with secrets removed. */
      readonly data?: Readonly<Record<string, string>>
    }
  | {
      readonly type: 'answer-start'
      readonly answerId: string
      /** Name of the model that was chosen; empty for a hosted agent. */
      readonly model: string
      /** Name of the hosted agent that speaks. Absent for a model. */
      readonly agent?: string
    }
  /** The next piece of an answer's text. */
  | { readonly type: 'text-delta'; readonly answerId: string; readonly text: string }
  /** The end of an answer. Only the code in a `complete` answer is run. */
  | {
      readonly type: 'answer-end'
      readonly answerId: string
      readonly complete: boolean
      /** The whole text, if it is not the sum of the pieces. */
      readonly text?: string
      /** Set if the answer was cut off at the model's token limit. A block that was cut off is not run. */
      readonly isCut?: true
    }
  /** An agent calls a tool. */
  | {
      readonly type: 'tool-start'
      readonly callId: string
      readonly agent: string
      readonly tool: string
      readonly input: unknown
    }
  | {
      readonly type: 'tool-end'
      readonly callId: string
      /** The result, as the model reads it. */
      readonly content: string
      readonly isError: boolean
    }
  | {
      readonly type: 'code-start'
      readonly runId: string
      /** Id of the answer or document that contains the blocks. */
      readonly of: string
      readonly blocks: readonly CodeBlock[]
      /** Names of host functions that programs can call. Absent if there are none. */
      readonly tools?: readonly string[]
      /** Id of the run that this run repeats. */
      readonly repeats?: string
      /** Whether the run can be undone. */
      readonly canUndo?: true
    }
  /** A person undid runs: variables and files are as before them. */
  | {
      readonly type: 'undo'
      readonly runIds: readonly string[]
      /** What was undone and what was not, for the person and the model. */
      readonly content: string
    }
  /**
   * A question to a person, of any kind: whether to run code, call a tool, connect to a host or install a package, or what to
   * enter for a program that reads input.
   */
  | {
      readonly type: 'approval-requested'
      /** Empty for a question of an agent that is not about a run: about a tool call or a message. */
      readonly runId: string
      /** Digest of the request, which an answer must name. */
      readonly digest: string
      readonly request: ApprovalRequest
    }
  | {
      readonly type: 'approval-answered'
      readonly runId: string
      readonly requestId: string
      /** The answer as given, including edited programs but not the text of a secret. */
      readonly answer: GivenAnswer
      /** Whether a remembered answer was applied. */
      readonly remembered: boolean
    }
  /** The question was withdrawn, because nothing waits for its answer anymore. */
  | { readonly type: 'approval-withdrawn'; readonly runId: string; readonly requestId: string }
  | { readonly type: 'code'; readonly runId: string; readonly event: LoggedCodeEvent }
  | {
      readonly type: 'code-end'
      readonly runId: string
      readonly result: RunResult
      /** Text of the result for the model. */
      readonly content: string
    }
  /** Progress while the executor starts, such as pulling an image or installing packages. */
  | { readonly type: 'notice'; readonly notice: Notice }
  /** All remembered answers, reported whenever they change. */
  | {
      readonly type: 'remembered'
      readonly approvals: readonly RememberedApproval[]
      readonly connections: readonly RememberedConnection[]
    }

/** An event about a question to a person. */
export type QuestionEvent = Extract<
  ConversationEvent,
  { type: 'approval-requested' | 'approval-answered' | 'approval-withdrawn' }
>

/**
 * A person's answer, of the same kind as the question. Permission to connect to a host applies to one run, or to all later
 * connections to that host in the conversation.
 */
export type GivenAnswer = ApprovalAnswer | NetworkApprovalAnswer | InputAnswer

/**
 * A host that programs in a conversation may connect to without a question, although the sandbox's allowlist does not include it.
 */
export interface RememberedConnection {
  /** Id of the answered request. */
  readonly id: string
  readonly host: string
  readonly port: number
  /** The only target that the permission applies to. */
  readonly target: ApprovalTarget
}

/** How a turn ended. `interrupted`: the server stopped during the turn. */
export type TurnStatus = 'done' | 'stopped' | 'failed' | 'interrupted'

/**
 * An event of an execution as logged, without questions and the final event. It may report output that was left out to keep the
 * log within its limit.
 */
export type LoggedCodeEvent =
  | Exclude<ExecutionEvent, { type: 'execution-end' | ApprovalEvent['type'] | 'block-end' }>
  /** Live output that was not logged: the number of characters so far. */
  | { readonly type: 'output-dropped'; readonly index: number; readonly characters: number }
  | {
      readonly type: 'block-end'
      readonly index: number
      readonly status: CodeStatus | 'skipped'
      readonly exitCode: number
      readonly durationMs: number
      readonly notices: readonly Notice[]
      /** Resources that the program used. */
      readonly usage?: BlockUsage
      /** The error that ended the program, without its text, which is in the output. */
      readonly error?: Omit<ProgramError, 'text'>
    }

/** How a run ended. Its output is in its events. */
export interface RunResult {
  /** `interrupted`: the server stopped during the run. */
  readonly status: CodeStatus | 'interrupted'
  readonly exitCode: number
  readonly durationMs: number
}

/** An event and its position in the log. */
export interface LoggedEvent {
  /** Number of the event in its conversation, from 1. */
  readonly seq: number
  /** Time of the event, in ISO 8601 format. */
  readonly createdAt: string
  readonly event: ConversationEvent
}

/** A conversation as listed on the page. */
export interface ConversationSummary {
  readonly id: string
  readonly title: string
  /** Ids of its executor and model. */
  readonly executor: string
  readonly model: string
  /** Python packages that the person requested for the conversation. */
  readonly packages: readonly string[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly isWorking: boolean
  /** Number of questions that wait for the person. */
  readonly questions: number
}

/** A file of a conversation. */
export interface FileEntry {
  /** Path relative to the working directory, with `/` as the separator. */
  readonly path: string
  readonly sizeBytes: number
}
