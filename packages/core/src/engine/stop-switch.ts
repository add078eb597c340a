import type { CodeStatus } from '../code-result.ts'

/** Why a running block is stopped before its end. */
export type StopCause = Extract<CodeStatus, 'timeout' | 'cancelled' | 'output-limit'>

/** One signal for a driver, whoever ends the block, and the first cause remembered. */
export class StopSwitch implements Disposable {
  readonly #controller = new AbortController()
  readonly #callerSignal: AbortSignal
  readonly #onCallerAbort = () => this.stop('cancelled')
  #timer: NodeJS.Timeout | undefined
  #cause: StopCause | undefined
  #programCause: StopCause | undefined
  #programEnded = false

  constructor(callerSignal: AbortSignal) {
    this.#callerSignal = callerSignal
    if (callerSignal.aborted) this.stop('cancelled')
    else callerSignal.addEventListener('abort', this.#onCallerAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get cause(): StopCause | undefined {
    return this.#cause
  }

  /** Why the program was stopped; `undefined` when it ended by itself before the first cause. */
  get programCause(): StopCause | undefined {
    return this.#programCause
  }

  /** A program begins: starts its time limit. */
  startTimer(timeoutMs: number): void {
    this.#programEnded = false
    this.#programCause = undefined
    this.#timer = setTimeout(() => this.stop('timeout'), timeoutMs)
  }

  /** The program has ended, and with it its time limit. */
  programEnded(): void {
    this.#programEnded = true
    clearTimeout(this.#timer)
  }

  stop(cause: StopCause): void {
    this.#cause ??= cause
    // How much a program wrote does not depend on when it is read.
    if (!this.#programEnded || cause === 'output-limit') this.#programCause ??= cause
    this.#controller.abort()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#callerSignal.removeEventListener('abort', this.#onCallerAbort)
  }
}
