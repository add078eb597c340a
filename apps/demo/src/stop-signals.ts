/** The signals that ask a program to end, and the exit code of one that did: 128 + n. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Requests within this time are one, in milliseconds: for one Ctrl-C a terminal and `npx` send a signal each. */
const oneRequestMs = 1_000

/** What a shell reports for SIGPIPE. */
export const nobodyReads = 141

/** The reason with which a run is ended. */
export class Stopped extends Error {
  /** Tells who asked. */
  readonly exitCode: number

  constructor(exitCode: number) {
    super('The run was stopped.')
    this.exitCode = exitCode
  }

  /** Whether somebody asked for it, who may want to hear that it was done. */
  get isWanted(): boolean {
    return this.exitCode !== nobodyReads
  }
}

/**
 * Ends the run when a person or a process asks for it, instead of ending this process and leaving the program behind. A second request ends this
 * process at once: what the run still stops may hang.
 */
export interface StopSignals extends Disposable {
  readonly signal: AbortSignal
  /** The exit code that tells who asked; `undefined` when nobody did. */
  readonly exitCode: number | undefined
  /** Ends it as Ctrl-C does, where Ctrl-C arrives as a key. */
  interrupt(): void
}

export function listenForStop(output: NodeJS.WriteStream): StopSignals {
  const controller = new AbortController()
  const { signal } = controller
  const stop = (code: number) => {
    if (!signal.aborted) controller.abort(new Stopped(code))
  }
  let askedAt: number | undefined
  const ask = (code: number) => {
    askedAt ??= performance.now()
    if (performance.now() - askedAt > oneRequestMs) process.exit(code)
    stop(code)
  }
  const listeners = Object.entries(exitCodes).map(([name, code]) => [name, () => ask(code)] as const)
  for (const [name, listener] of listeners) process.on(name, listener)
  // Nobody reads any more, as behind `| head`.
  output.on('error', () => stop(nobodyReads))
  return {
    signal,
    get exitCode() {
      return signal.aborted ? (signal.reason as Stopped).exitCode : undefined
    },
    interrupt: () => ask(exitCodes.SIGINT),
    [Symbol.dispose]() {
      for (const [name, listener] of listeners) process.off(name, listener)
    },
  }
}
