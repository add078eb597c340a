import type { Notice } from '../vocabulary/code-result.ts'

/** A variable of a Python session. */
export interface SessionVariable {
  readonly name: string
  /** Its class, as Python names it: `int`, `DataFrame`. */
  readonly type: string
  /** Size in bytes, as far as Python knows it. */
  readonly sizeBytes?: number
  /**
   * A short description. Objects of the program's own classes are not asked for their `repr`, which could hang or print: they are shown
   * as `<Name>`, and arrays and tables with their shape.
   */
  readonly preview: string
}

/** Identifies a state of a session. An approval of code holds for one state only. */
export interface SessionStateId {
  /** A new session has another ID. */
  readonly session: string
  /** A new number after each block. `undo` returns to the number of the restored state. */
  readonly number: number
}

/** The result of going back to an earlier state of a session. */
export interface SessionRestored {
  /** Number of this return, counted from 1 for each executor. */
  readonly number: number
  /** What was restored and what was not, in sentences for a person or a model. */
  readonly notices: readonly Notice[]
}

/**
 * The live Python of an executor with `stateful: true`. Its functions wait for their turn, as `execute` does.
 */
export interface PythonSession {
  /** The current state. `undefined` before the first block. */
  readonly state: SessionStateId | undefined
  /** The newest 20 returns to an earlier state, the oldest first. Agents tell their models about them. */
  readonly restorations: readonly SessionRestored[]
  /**
   * Goes back to the state before the last blocks: variables, and files of the working directory.
   *
   * Waits for the checkpoint of the last block. Effects outside the session are not undone: the notices name tools that were called,
   * connections, threads, shared memory, files that were not kept and processes that still run.
   *
   * @param steps - Number of blocks, of any language. Default: 1.
   * @throws FencedError `NO_CHECKPOINT`, `INVALID_OPTIONS`, `EXECUTOR_STOPPED`, `EXECUTOR_DIED`.
   */
  undo(steps?: number): Promise<SessionRestored>
  /** Goes back to a named checkpoint. @throws FencedError like `undo`. */
  restore(name: string): Promise<SessionRestored>
  /**
   * Names the current state, so that `restore` can return to it. Named checkpoints are not replaced by later ones; at most 20. A name
   * that is used again moves to the current state.
   *
   * @throws FencedError like `undo`.
   */
  checkpoint(name: string): Promise<void>
  /** Lists the variables of the program, without names that begin with an underscore. At most 500, the latest ones. */
  variables(): Promise<readonly SessionVariable[]>
}
