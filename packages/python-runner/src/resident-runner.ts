import type { Notice } from '@fenced/core'
import type { Program, ProgramEnd, ProgramIo } from './python-runner.ts'

/** A runner together with the process that it is, somewhere. */
export interface ResidentRunner<Place> {
  /** Whether it can run another program, and is in this place. */
  isUsableIn(place: Place): boolean | Promise<boolean>
  /** See `PythonRunner.run`. */
  run(program: Program, io: ProgramIo): Promise<ProgramEnd>
  /** Why a program `died`, for a reader of the result. */
  explainLoss(): Promise<Notice>
  /** Ends it, and everything that its programs left. */
  end(): Promise<void>
}

/**
 * Starts one.
 *
 * @throws FencedError what `PythonRunner.start` throws; nothing is left running then.
 */
export type StartRunner<Place> = (
  place: Place,
  preload: readonly string[],
  signal?: AbortSignal,
) => Promise<ResidentRunner<Place>>
