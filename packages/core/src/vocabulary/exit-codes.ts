import type { BlockResult } from './code-result.ts'

/**
 * Exit codes that do not come from the program. They are the same for all executors and follow POSIX shells and GNU `timeout`
 * where these define a code. A program that was ended by signal n has the exit code 128 + n.
 */
export const exitCodes = {
  /** `timeout`: the time limit expired. */
  timeout: 124,
  /** `cancelled`: the caller ended the run. */
  cancelled: 125,
  /** `denied` and `invalid`: the block could not be run. */
  notExecutable: 126,
  /** No interpreter for this language was found. */
  notFound: 127,
  /** `output-limit` and `out-of-memory`: the program was killed (128 + SIGKILL). */
  killed: 137,
  /** `died`: the container, kernel or process disappeared, so the program's own exit code is unknown. */
  died: 255,
} as const

/** The exit code of each status that is not determined by a program's own exit code. */
export const exitCodesOfStatus: Readonly<Record<Exclude<BlockResult['status'], 'error'>, number>> = {
  ok: 0,
  skipped: 0,
  timeout: exitCodes.timeout,
  cancelled: exitCodes.cancelled,
  denied: exitCodes.notExecutable,
  invalid: exitCodes.notExecutable,
  'output-limit': exitCodes.killed,
  'out-of-memory': exitCodes.killed,
  died: exitCodes.died,
}
