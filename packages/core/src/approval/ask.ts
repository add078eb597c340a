import type { ApprovalAnswer } from './approval-answer.ts'
import type { CodeApprovalRequest } from './approval-request.ts'
import type {
  FileRequest,
  InstallRequest,
  MessageRequest,
  PermissionAnswer,
  ProcessRequest,
} from './ask-requests.ts'
import type { InputAnswer, InputRequest } from './input-request.ts'
import type { NetworkApprovalAnswer, NetworkApprovalRequest } from './network-request.ts'
import type { ToolApprovalAnswer, ToolApprovalRequest } from './tool-request.ts'

/** The request and the answer of each kind of question. */
export interface AskKinds {
  /** Code of a model, before it runs. */
  code: { readonly request: CodeApprovalRequest; readonly answer: ApprovalAnswer }
  /** A call of a tool. */
  tool: { readonly request: ToolApprovalRequest; readonly answer: ToolApprovalAnswer }
  /** A connection to a host that is not in the network list. */
  network: { readonly request: NetworkApprovalRequest; readonly answer: NetworkApprovalAnswer }
  /** A line for a program that reads its standard input. */
  input: { readonly request: InputRequest; readonly answer: InputAnswer }
  /** An installation of packages. */
  install: { readonly request: InstallRequest; readonly answer: PermissionAnswer }
  /** A change of a file in the working directory, by a tool. */
  file: { readonly request: FileRequest; readonly answer: PermissionAnswer }
  /** A process that runs beside the blocks. */
  process: { readonly request: ProcessRequest; readonly answer: PermissionAnswer }
  /** A message of a person to a conversation of agents. */
  message: { readonly request: MessageRequest; readonly answer: MessageAnswer }
}

/**
 * A question. It is plain data, so that a terminal, a page and another process can show it, and a program can keep it until an
 * answer comes. `kind` names the subject; a program that switches on `kind` needs a default.
 */
export type ApprovalRequest = AskKinds[AskKind]['request']

/** The kind of a question. */
export type AskKind = keyof AskKinds

/** An answer to {@link MessageRequest}. */
export type MessageAnswer =
  /** The message, which can have several lines. */
  | { readonly decision: 'answer'; readonly text: string }
  /** The person gives no message. */
  | { readonly decision: 'deny'; readonly reason: string }

/**
 * An answer object for the kind of the request, or a short form: `'allow'` for `{ decision: 'allow' }`, `'deny'` for a
 * denial without a reason.
 */
export type AskAnswer<Kind extends AskKind = AskKind> = AskKinds[Kind]['answer'] | 'allow' | 'deny'

/**
 * Answers questions of one kind. `signal` is aborted when the answer is no longer needed. `undefined` leaves the decision to
 * the default of the kind; code has no default, so `undefined` is an error there (`INVALID_APPROVAL`).
 *
 * A rejection means that the approver cannot be reached. Code is then not run (`APPROVAL_UNAVAILABLE`), and anything else is
 * denied with the reason.
 */
export type AskAbout<Kind extends AskKind> = (
  request: AskKinds[Kind]['request'],
  options: { readonly signal: AbortSignal },
) => AskAnswer<Kind> | undefined | Promise<AskAnswer<Kind> | undefined>

/** Answers questions of every kind: `request.kind` says which. A kind that may be added later needs a default: `undefined`. */
export type AskFunction = AskAbout<AskKind>

/** One function per kind. A kind without a function keeps its default. */
export type AskByKind = { readonly [Kind in AskKind]?: AskAbout<Kind> | undefined }

/** An object that answers questions of every kind, such as an {@link ApprovalQueue}. */
export interface AskObject {
  readonly ask: AskFunction
}

/**
 * The approver: one function for every kind of question, an object with such a method `ask`, or one function per kind.
 *
 * @example
 * ```ts
 * const ask: Ask = {
 *   code: ({ question }) => confirm(question),
 *   network: ({ host }) => (host.endsWith('.example.com') ? 'allow' : 'deny'),
 * }
 * ```
 */
export type Ask = AskFunction | AskObject | AskByKind
