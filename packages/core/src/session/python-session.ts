import type { Notice } from '../vocabulary/code-result.ts'

/** A variable of a Python session. */
export interface SessionVariable {
  readonly name: string
  /** Its class, as Python names it: `int`, `DataFrame`. */
  readonly type: string
  /** Size in bytes, as far as Python knows it. */
  readonly sizeBytes?: number
  /** The beginning of its `repr`. */
  readonly preview: string
}

/** The result of going back to an earlier state of a session. */
export interface SessionRestored {
  /** What was restored and what was not, in sentences for a person or a model. */
  readonly notices: readonly Notice[]
}

/**
 * The live Python of an executor with `stateful: true`. Its functions wait for their turn, as `execute` does.
 */
export interface PythonSession {
  /**
   * Goes back to the state before the last blocks: variables, and files of the working directory.
   *
   * @param steps - Number of blocks, of any language. Default: 1.
   */
  undo(steps?: number): Promise<SessionRestored>
  /** Goes back to a named checkpoint. */
  restore(name: string): Promise<SessionRestored>
  /** Names the current state, so that `restore` can return to it. */
  checkpoint(name: string): Promise<void>
  /** Lists the variables of the program. */
  variables(): Promise<readonly SessionVariable[]>
}
