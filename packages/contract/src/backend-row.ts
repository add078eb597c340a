import type { SandboxBackend } from '@fenced/core/sandbox'

/** A running sandbox and the backend that accesses it. */
export interface BackendUnderTest {
  readonly backend: SandboxBackend
  /** Absolute path of a directory in the sandbox to which its user can write and to which archives can be extracted. */
  readonly directory: string
}

/** A kind of backend under test. */
export interface BackendSubject {
  readonly name: string
  /** Creates a separate sandbox. The suite removes it. It must contain `sh` and the usual POSIX tools. */
  create(): Promise<BackendUnderTest>
  /** A sandbox user other than the default user for commands, and that user's output of `id -u`. */
  readonly otherUser?: { readonly user: string; readonly id: number }
  /**
   * URL (`import.meta.resolve`) of a module that exports {@link BackendSubject.create}, for the row that checks whether a Node
   * process exits.
   */
  readonly module?: string
  /**
   * Number of commands that start at the same time. Choose a smaller number if starting is slow.
   *
   * @default 200
   */
  readonly commandsAtOnce?: number
  /** Rows to skip because they do not apply, keyed by name, each with a reason. */
  readonly except?: Readonly<Record<string, string>>
}

/** One sentence of the contract of a backend. */
export interface BackendRow {
  readonly name: string
  /** Whether the row removes the target: it gets a separate one then. */
  readonly own?: true
  /** The member of the subject that the row needs. */
  readonly needs?: 'otherUser' | 'module'
  readonly check: (target: BackendUnderTest, subject: BackendSubject) => Promise<void>
}
