import type { Sandbox, SandboxProcess } from '@fenced/core/sandbox'

/** The interpreter of shared fork servers. */
export interface SharedInterpreter {
  /** The command that starts it. */
  readonly python: readonly [string, ...string[]]
  /** Modules to import once, and absolute paths of files to run once. */
  readonly preload: readonly string[]
}

/** A fork server of a shared interpreter. */
export interface SharedForkServer extends SandboxProcess {
  readonly processId: number
}

/**
 * Fork servers that are forks of an interpreter which several sandboxes share. The interpreter outlives the sandboxes for a while, so that the next
 * fork server starts faster.
 */
export interface SharedForkServers {
  /** Whether any interpreter is ready. */
  isAnyReady(): boolean
  /** Whether this interpreter is ready. */
  isReady(interpreter: SharedInterpreter): boolean
  /**
   * Returns a ready fork server, with its stream as `stdin` and `stdout`. Starts the interpreter if necessary. `undefined` when
   * the fork server cannot share an interpreter. Rejects with `PRELOAD_FAILED`, the signal's reason, and the errors of `spawn`.
   */
  get(interpreter: SharedInterpreter, signal: AbortSignal | undefined): Promise<SharedForkServer | undefined>
  /** Starts the interpreter when this process is idle, even if the sandbox stops before. */
  startSoon(interpreter: SharedInterpreter): void
}

/** Returns the shared fork servers of a sandbox. A sandbox with isolation has none. */
export function sharedForkServersOf(sandbox: Sandbox): SharedForkServers | undefined {
  return (sandbox as { readonly sharedForkServers?: SharedForkServers }).sharedForkServers
}
