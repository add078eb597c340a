import { FencedError } from '@fenced/core'

/** Signals that stop a program, and the exit code of a program stopped by one: 128 + n. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Signals within this time are one request, in milliseconds: for one Ctrl-C a terminal and `npx` send a signal each. */
const oneRequestMs = 1_000

/** What a shell reports for SIGPIPE. */
const nobodyReads = 141

/** Stops the running work on a signal, so that no program outlives this process. */
interface StopSignals extends Disposable {
  readonly signal: AbortSignal
  /** The exit code of the stop signal; `undefined` without a signal. */
  readonly exitCode: number | undefined
  /** Asks for the end as Ctrl-C does, where Ctrl-C arrives as a key. */
  readonly interrupt: () => void
  /** Asks for the end because the reader of the output left. */
  readonly outputClosed: () => void
}

/**
 * Runs `work` until it ends or a person asks for the end. A second request ends this process at once: what `work` still stops may hang.
 *
 * @param work - `interrupt` asks for the end as Ctrl-C does, where Ctrl-C arrives as a key.
 * @returns its exit code, or the exit code that says who asked.
 */
export async function untilStopped(
  work: (signal: AbortSignal, interrupt: () => void) => Promise<number>,
): Promise<number> {
  using stop = listenForStop()
  try {
    const exitCode = await work(stop.signal, stop.interrupt)
    return stop.exitCode ?? exitCode
  } catch (error) {
    if (FencedError.isInstance(error) && error.code === 'OUTPUT_CLOSED') stop.outputClosed()
    if (stop.exitCode === undefined) throw error
    return stop.exitCode
  }
}

function listenForStop(): StopSignals {
  const controller = new AbortController()
  let exitCode: number | undefined
  let askedAt: number | undefined
  const stop = (code: number) => {
    exitCode ??= code
    controller.abort()
  }
  const onSignal = (code: number) => {
    askedAt ??= performance.now()
    if (performance.now() - askedAt > oneRequestMs) process.exit(code)
    stop(code)
  }
  const listeners = Object.entries(exitCodes).map(([name, code]) => [name, () => onSignal(code)] as const)
  for (const [name, listener] of listeners) process.on(name, listener)
  // The reader has left, as in `| head`.
  const outputClosed = () => stop(nobodyReads)
  process.stdout.on('error', outputClosed)
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode
    },
    interrupt: () => onSignal(exitCodes.SIGINT),
    outputClosed,
    [Symbol.dispose]() {
      for (const [name, listener] of listeners) process.off(name, listener)
    },
  }
}
