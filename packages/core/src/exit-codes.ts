/**
 * The exit codes that do not come from the program itself: those of a POSIX shell and of GNU `timeout` where these
 * have one. They are the same for every executor. A program that ended by signal n has 128 + n
 * ({@link exitCodeOfSignal}).
 */
export const exitCodes = {
  /** `timeout`: the time limit passed. */
  timeout: 124,
  /** `cancelled`: the caller ended the run. */
  cancelled: 125,
  /** `denied` and `invalid`: the block was not executable as it stands. */
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
