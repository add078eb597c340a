import type { Sandbox, SandboxCapabilities } from '@fenced/core/sandbox'

/** A kind of sandbox under test. */
export interface SandboxSubject {
  readonly name: string
  /**
   * Creates a sandbox that has not been started. The suite stops it. It must contain `sh`. Rows that need another
   * program, such as Python, are skipped without it.
   */
  create(): Sandbox
  /**
   * Number of processes that start at the same time. An engine starts them one after another.
   *
   * @default 200
   */
  readonly processesAtOnce?: number
  /** Rows to skip because they do not apply, keyed by name, each with a reason. */
  readonly except?: Readonly<Record<string, string>>
}

/** One sentence of the contract of a sandbox. */
export interface SandboxRow {
  readonly name: string
  /** Whether the row stops the sandbox, or needs one before its start: it gets a separate one then. */
  readonly own?: true
  /** Why it does not apply to a sandbox with these capabilities; `undefined` when it does. */
  readonly unless?: (capabilities: SandboxCapabilities) => string | undefined
  /** The program that it needs. The row is skipped in a sandbox without it. */
  readonly needs?: string
  /** @param program - how the sandbox starts the program in `needs`. */
  readonly check: (sandbox: Sandbox, subject: SandboxSubject, program: string) => Promise<void>
}
