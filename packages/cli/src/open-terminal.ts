import { openSync } from 'node:fs'
import { ReadStream } from 'node:tty'

/**
 * Opens the terminal of the person who started this process, for reading: standard input where that is a terminal and not taken, else
 * the terminal of the session. Returns the error where there is none.
 *
 * @param options - `isStdinTaken`: whether standard input is read for something else.
 */
export function openTerminal({ isStdinTaken }: { readonly isStdinTaken: boolean }): ReadStream | Error {
  if (process.stdin.isTTY && !isStdinTaken) return process.stdin
  try {
    return new ReadStream(openSync('/dev/tty', 'r'))
  } catch (error) {
    return error as Error
  }
}
