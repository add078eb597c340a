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

/** Request and answer types for each kind of question. */
export interface AskKinds {
  /** Code from a model, before it runs. */
  code: { readonly request: CodeApprovalRequest; readonly answer: ApprovalAnswer }
  /** A tool call. */
  tool: { readonly request: ToolApprovalRequest; readonly answer: ToolApprovalAnswer }
  /** A connection to a host that is not on the network allowlist. */
  network: { readonly request: NetworkApprovalRequest; readonly answer: NetworkApprovalAnswer }
  /** A line of input for a program that reads its standard input. */
  input: { readonly request: InputRequest; readonly answer: InputAnswer }
  /** A package installation. */
  install: { readonly request: InstallRequest; readonly answer: PermissionAnswer }
  /** A file change in the working directory, made by a tool. */
  file: { readonly request: FileRequest; readonly answer: PermissionAnswer }
  /** A process that runs alongside the blocks. */
  process: { readonly request: ProcessRequest; readonly answer: PermissionAnswer }
  /** A person's message to a conversation between agents. */
  message: { readonly request: MessageRequest; readonly answer: MessageAnswer }
}

/**
 * A question, as plain data: a terminal, a page or another process can show it, and a program can save it until it is answered.
 * `kind` identifies the subject. Code that switches on `kind` needs a default case.
 */
export type ApprovalRequest = AskKinds[AskKind]['request']

/** Kind of a question. */
export type AskKind = keyof AskKinds

/** An answer to a {@link MessageRequest}. */
type MessageAnswer =
  /** The message, which can span several lines. */
  | { readonly decision: 'answer'; readonly text: string }
  /** The person declines to send a message. */
  | { readonly decision: 'deny'; readonly reason: string }

/**
 * An answer object for the request's kind, or a shorthand: `'allow'` for `{ decision: 'allow' }`, `'deny'` for a denial without a
 * reason.
 */
export type AskAnswer<Kind extends AskKind = AskKind> = AskKinds[Kind]['answer'] | 'allow' | 'deny'

/**
 * Answers questions of one kind. `signal` is aborted when the answer is no longer needed. Returning `undefined` applies the
 * default for that kind. Code has no default, so `undefined` is an error there (`INVALID_APPROVAL`).
 *
 * A rejection means that the approver cannot be reached. Code then does not run (`APPROVAL_UNAVAILABLE`), and anything else is
 * denied with the rejection's reason.
 */
export type AskAbout<Kind extends AskKind> = (
  request: AskKinds[Kind]['request'],
  options: { readonly signal: AbortSignal },
) => AskAnswer<Kind> | undefined | Promise<AskAnswer<Kind> | undefined>

/**
 * Answers questions of every kind, as given by `request.kind`. Return `undefined` for unknown kinds, because kinds may be added
 * later.
 */
export type AskFunction = AskAbout<AskKind>

/** One function per kind. The default applies to kinds without a function. */
export type AskByKind = { readonly [Kind in AskKind]?: AskAbout<Kind> | undefined }

/** An object that answers questions of every kind, such as an {@link ApprovalQueue}. */
export interface AskObject {
  readonly ask: AskFunction
}

/**
 * The approver: one function for all kinds of questions, an object with an `ask` method, or one function per kind.
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
