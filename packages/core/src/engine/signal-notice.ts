import type { Notice } from '../code-result.ts'

/** Signals that end programs and have the same number on Linux and macOS. */
const signals: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
}

/** A notice that names the signal of an exit code above 128; `undefined` for other codes. */
export function signalNotice(exitCode: number): Notice | undefined {
  const signal = signals[exitCode - 128]
  if (signal === undefined) return undefined
  return {
    code: 'ended-by-signal',
    message: `Exit code ${exitCode} means that the signal ${signal} ended the program.`,
    data: { signal, exitCode: `${exitCode}` },
  }
}
