import type { SandboxBackend } from '@fenced/core/sandbox'

/** A sandbox that is up, with what reaches it. */
export interface BackendUnderTest {
  readonly backend: SandboxBackend
  /** An absolute path there: a directory in which its user may write, and which archives reach. */
  readonly directory: string
}

/** A kind of backend under test. */
export interface BackendSubject {
  readonly name: string
  /** Makes a separate sandbox. The suite removes it. It needs `sh`, and what a POSIX system has beside it. */
  create(): Promise<BackendUnderTest>
  /** A user of the sandbox that differs from the default user of commands, and their output of `id -u`. */
  readonly otherUser?: { readonly user: string; readonly id: number }
  /**
   * The address (`import.meta.resolve`) of a module that exports {@link BackendSubject.create}: for the row that looks
   * whether a Node process ends.
   */
  readonly module?: string
  /**
   * Number of commands that start at the same time. Choose fewer where a start is slow.
   *
   * @default 200
   */
  readonly commandsAtOnce?: number
  /** Rows that do not apply, by name, each with the reason. */
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
