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
   * How many commands are started at the same time: fewer where a start takes a machine so long that this would be slow.
   *
   * @default 200
   */
  readonly commandsAtOnce?: number
  /** Rows that do not hold for it, by their name, each with the reason. */
  readonly except?: Readonly<Record<string, string>>
}

/** One sentence of the contract of a backend. */
export interface BackendRow {
  readonly name: string
  /** Whether the row removes the target: it gets a separate one then. */
  readonly own?: true
  /** What the subject must have named. */
  readonly needs?: 'otherUser' | 'module'
  readonly check: (target: BackendUnderTest, subject: BackendSubject) => Promise<void>
}
