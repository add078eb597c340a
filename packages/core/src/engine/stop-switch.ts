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

  /** Starts the time limit. */
  startTimer(timeoutMs: number): void {
    this.#timer = setTimeout(() => this.stop('timeout'), timeoutMs)
  }

  /** Ends the time limit: what comes now is not the program. */
  stopTimer(): void {
    clearTimeout(this.#timer)
  }

  stop(cause: StopCause): void {
    this.#cause ??= cause
    this.#controller.abort()
  }

  [Symbol.dispose](): void {
    this.stopTimer()
    this.#callerSignal.removeEventListener('abort', this.#onCallerAbort)
  }
}
