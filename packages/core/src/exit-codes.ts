/**
 * Exit codes that do not come from the program, the same for every executor. They follow a POSIX shell and GNU `timeout`
 * where these define one. A program that ended by signal n has 128 + n ({@link exitCodeOfSignal}).
 */
export const exitCodes = {
  /** `timeout`: the time limit passed. */
  timeout: 124,
  /** `cancelled`: the caller ended the run. */
  cancelled: 125,
  /** `denied` and `invalid`: the block could not be executed. */
  notExecutable: 126,
  /** No interpreter for this language was found. */
  notFound: 127,
  /** `output-limit` and `out-of-memory`: it was killed (128 + SIGKILL). */
  killed: 137,
  /** `died`: the container, kernel or process went away, so the program's own exit code is not known. */
  died: 255,
} as const

/** 128 + n for signal number n, as a POSIX shell reports it. */
export function exitCodeOfSignal(signalNumber: number): number {
  return 128 + signalNumber
}
