import type { ApprovalFile, ApprovalTarget } from './approval-request.ts'

/** A question about whether a Python package may be installed. The program failed because the package is missing. */
export interface InstallRequest {
  /** Discriminator for {@link ApprovalRequest}. */
  readonly kind: 'install'
  /** Random ID. */
  readonly id: string
  /** SHA-256 hash of everything that would happen, in hex: the packages, their source and the target. */
  readonly digest: string
  /**
   * ID of an earlier decision about the same installation, which may already have been carried out. The question mentions this.
   */
  readonly after?: string
  /** The question in one sentence: `May the package numpy be installed in a container, with the network (docker)?` */
  readonly question: string
  /** The packages, exactly as the installer receives them: `numpy`, `pandas>=2`. */
  readonly packages: readonly string[]
  /** Source of the packages, such as an index URL. Absent if the installer's own configuration decides. */
  readonly index?: string
  /** Where the action happens. */
  readonly target: ApprovalTarget
  /** Index of the block in the `execute` call, counted from 0. Absent if a model asks for the package by name. */
  readonly blockIndex?: number
}

/** A question about whether a file in the working directory may be changed. */
export interface FileRequest {
  /** Discriminator for {@link ApprovalRequest}. */
  readonly kind: 'file'
  /** Random ID. */
  readonly id: string
  /** SHA-256 hash of everything that would happen, in hex: the action, the paths, the content and the target. */
  readonly digest: string
  /** ID of an earlier decision about the same change, which may already have been made. The question mentions this. */
  readonly after?: string
  /** The question in one sentence: `May the file notes.txt (12 bytes) be written in a container (docker)?` */
  readonly question: string
  /** The kind of change. */
  readonly action: 'write' | 'remove' | 'move' | 'copy' | 'make-directory'
  /** Path as the caller names it. */
  readonly path: string
  /** The new path. Present only if `action` is `move` or `copy`. */
  readonly newPath?: string
  /** Whether a file at the new path is replaced. Present only if `action` is `move` or `copy`. */
  readonly overwrite?: boolean
  /** The new content. Present only if `action` is `write`. */
  readonly file?: ApprovalFile
  /** Permissions, as for chmod(2). Present only if the caller sets them. */
  readonly mode?: number
  /** Where the action happens. */
  readonly target: ApprovalTarget
}

/** A question about whether a process may start alongside the blocks. */
export interface ProcessRequest {
  /** Discriminator for {@link ApprovalRequest}. */
  readonly kind: 'process'
  /** Random ID. */
  readonly id: string
  /** SHA-256 hash of everything that would happen, in hex: the command, its directory, the names of variables, and the target. */
  readonly digest: string
  /** ID of an earlier decision about the same process, which may already have been started. The question mentions this. */
  readonly after?: string
  /** The question in one sentence: `May the process node server.js start in a container (docker)?` */
  readonly question: string
  /** The program and its arguments. No shell is involved. */
  readonly command: readonly string[]
  /** Working directory of the process. Absent if it is the target's working directory. */
  readonly workDir?: string
  /** Names of the environment variables that the caller adds. Their values are not shown, and can change what the program does. */
  readonly env?: readonly string[]
  /** Where the action happens. */
  readonly target: ApprovalTarget
}

/** A question about the message that a person adds to a conversation between agents. It does not ask for permission. */
export interface MessageRequest {
  /** Discriminator for {@link ApprovalRequest}. */
  readonly kind: 'message'
  /** Random ID. */
  readonly id: string
  /** SHA-256 hash of the message that is requested and the target, in hex. */
  readonly digest: string
  /** The question, as a terminal shows it. */
  readonly question: string
  /** Name of the agent on whose behalf the person speaks. */
  readonly agent: string
  /** Name of the agent that is waiting for the message. Absent if unknown. */
  readonly partner?: string
  /** Answers with a special meaning, to be shown as buttons. Any other text is also a valid answer. */
  readonly choices: readonly { readonly answer: string; readonly label: string }[]
  /** Messages that the person is replying to. */
  readonly messages?: readonly { readonly source: string; readonly text: string }[]
  /** The target, if an empty answer runs programs. In that case, the empty answer is the decision to run them. */
  readonly target?: ApprovalTarget
}

/** An answer to a question about an installation, a file or a process. */
export type PermissionAnswer = {
  /**
   * Origin of the decision (a person or a rule), recorded in the ledger.
   *
   * @default 'person' for an answer from an `ApprovalQueue`, otherwise 'rule'
   */
  readonly by?: 'person' | 'rule' | undefined
} & ({ readonly decision: 'allow' } | { readonly decision: 'deny'; readonly reason: string })
