import type { Sandbox, SandboxProcess } from '@fenced/core/sandbox'

/** The interpreter of a shared Python. */
export interface SharedInterpreter {
  /** The command that starts it. */
  readonly python: readonly [string, ...string[]]
  /** Modules to import once, and absolute paths of files to run once. */
  readonly preload: readonly string[]
}

/** A resident Python that is a fork of a shared Python. */
export interface ResidentPythonProcess extends SandboxProcess {
  readonly processId: number
}

/**
 * Pythons that fork resident Pythons for several sandboxes. A shared Python outlives the sandboxes for a while, so that the next
 * resident Python starts faster.
 */
export interface SharedPythons {
  /** Whether any shared Python is ready. */
  isAnyReady(): boolean
  /** Whether the shared Python of this interpreter is ready. */
  isReady(interpreter: SharedInterpreter): boolean
  /**
   * Returns a ready resident Python, with its stream as `stdin` and `stdout`. Starts a shared Python if necessary. `undefined`
   * when none is possible. Rejects with `PRELOAD_FAILED`, the signal's reason, and the errors of `spawn`.
   */
  get(
    interpreter: SharedInterpreter,
    signal: AbortSignal | undefined,
  ): Promise<ResidentPythonProcess | undefined>
  /** Starts a shared Python when this process is idle, even if the sandbox stops before. */
  startSoon(interpreter: SharedInterpreter): void
}

/** Returns the shared Pythons of a sandbox. A sandbox with isolation has none. */
export function sharedPythonsOf(sandbox: Sandbox): SharedPythons | undefined {
  return (sandbox as { readonly sharedPythons?: SharedPythons }).sharedPythons
}
