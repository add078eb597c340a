import type { Sandbox, SandboxProcess } from '@fenced/core/sandbox'

/** The interpreter that fork servers are forks of. */
export interface SharedInterpreter {
  /** The command that starts it. */
  readonly python: readonly [string, ...string[]]
  /** Modules that it imports once, and files that it runs once, by their absolute paths. */
  readonly preload: readonly string[]
}

/** A fork server of a shared interpreter. */
export interface SharedForkServer extends SandboxProcess {
  readonly processId: number
}

/**
 * Fork servers that are forks of an interpreter which other sandboxes have, too, and which outlives them for a while: where it is
 * there already, one takes no start of an interpreter.
 */
export interface SharedForkServers {
  /** Whether some interpreter is there, which need not be the wanted one. */
  isAnyReady(): boolean
  /** Whether the interpreter is there. */
  isReady(interpreter: SharedInterpreter): boolean
  /**
   * A fork server that is ready, with its stream as `stdin` and `stdout`; starts the interpreter where it is not there. `undefined` when
   * the fork server cannot share an interpreter. Rejects with `PRELOAD_FAILED`, the signal's reason, and the errors of `spawn`.
   */
  get(interpreter: SharedInterpreter, signal: AbortSignal | undefined): Promise<SharedForkServer | undefined>
  /** Starts the interpreter when this process has had time to do what is next, also when the sandbox stops before. */
  startSoon(interpreter: SharedInterpreter): void
}

/** What a sandbox has of them; a sandbox that isolates its processes from those of others has none. */
export function sharedForkServersOf(sandbox: Sandbox): SharedForkServers | undefined {
  return (sandbox as { readonly sharedForkServers?: SharedForkServers }).sharedForkServers
}
