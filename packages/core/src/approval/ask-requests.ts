import type { ApprovalFile, ApprovalTarget } from './approval-request.ts'

/** A question: may a Python package be installed for a program? The program failed because it lacks the package. */
export interface InstallRequest {
  /** Discriminator of {@link ApprovalRequest}. */
  readonly kind: 'install'
  /** Random. */
  readonly id: string
  /** SHA-256 over all that would happen, in hex: the packages, their source and the target. */
  readonly digest: string
  /** Id of an earlier decision about the same installation, which may have been made then: the question says so. */
  readonly after?: string
  /** The question in one sentence: `May the package numpy be installed in a container, with the network (docker)?` */
  readonly question: string
  /** The packages, exactly as the installer receives them: `numpy`, `pandas>=2`. */
  readonly packages: readonly string[]
  /** Source of the packages, such as the address of an index; absent where the installer's own configuration decides. */
  readonly index?: string
  /** The place of the action. */
  readonly target: ApprovalTarget
  /** Position of the block in the call of `execute`, from 0; absent where a model asks for the package by name. */
  readonly blockIndex?: number
}

/** Decides whether a package may be installed. A rejection denies; `signal` is aborted when the block is stopped. */
export type ApproveInstall = (
  request: InstallRequest,
  options: { readonly signal: AbortSignal },
) => PermissionAnswer | Promise<PermissionAnswer>

/** A question: may a file of the working directory be changed? */
export interface FileRequest {
  /** Discriminator of {@link ApprovalRequest}. */
  readonly kind: 'file'
  /** Random. */
  readonly id: string
  /** SHA-256 over all that would happen, in hex: the action, the paths, the content and the target. */
  readonly digest: string
  /** The question in one sentence: `May the file notes.txt (12 bytes) be written in a container (docker)?` */
  readonly question: string
  /** The change of the file or directory. */
  readonly action: 'write' | 'remove' | 'rename' | 'make-directory'
  /** The path, as the caller names it. */
  readonly path: string
  /** The new path; only where `action` is `rename`. */
  readonly newPath?: string
  /** The new content; only where `action` is `write`. */
  readonly file?: ApprovalFile
  /** The place of the action. */
  readonly target: ApprovalTarget
}

/** A question: may a process start that runs beside the blocks? */
export interface ProcessRequest {
  /** Discriminator of {@link ApprovalRequest}. */
  readonly kind: 'process'
  /** Random. */
  readonly id: string
  /** SHA-256 over all that would happen, in hex: the command, its directory, names of variables and the target. */
  readonly digest: string
  /** The question in one sentence: `May the process node server.js start in a container (docker)?` */
  readonly question: string
  /** The program and its arguments. No shell takes part. */
  readonly command: readonly string[]
  /** Working directory; absent for the working directory of the target. */
  readonly workDir?: string
  /** Names of the environment variables that the caller adds. */
  readonly env?: readonly string[]
  /** The place of the action. */
  readonly target: ApprovalTarget
}

/** A question: which message does a person add to a conversation of agents? It is not a permission. */
export interface MessageRequest {
  /** Discriminator of {@link ApprovalRequest}. */
  readonly kind: 'message'
  /** Random. */
  readonly id: string
  /** SHA-256 over all that would happen, in hex: the message that is asked for, and the target. */
  readonly digest: string
  /** The question, as a terminal shows it. */
  readonly question: string
  /** Name of the agent for which the person speaks. */
  readonly agent: string
  /** Name of the agent that waits for the message; absent where it is not known. */
  readonly partner?: string
  /** Answers with a special meaning, for buttons. Any other text is an answer as well. */
  readonly choices: readonly { readonly answer: string; readonly label: string }[]
  /** Messages to which the person replies. */
  readonly messages?: readonly { readonly source: string; readonly text: string }[]
  /** The target, if an empty answer runs programs. That answer is the decision about these programs. */
  readonly target?: ApprovalTarget
}

/** An answer to a question about an installation, a file or a process. */
export type PermissionAnswer = {
  /**
   * The person or system that decides, for the ledger.
   *
   * @default 'person' for an answer of an `ApprovalQueue`, otherwise 'rule'
   */
  readonly by?: 'person' | 'rule' | undefined
} & ({ readonly decision: 'allow' } | { readonly decision: 'deny'; readonly reason: string })
