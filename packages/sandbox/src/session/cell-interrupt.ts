import { afterGrace, pendingReads } from '@fenced/shared'

/**
 * Time limit for the keeper to confirm an interrupt, and to report what follows a kill, in milliseconds. A busy machine must not lose the
 * variables. Both fit into the time after which the engine gives a block up.
 */
const confirmMs = 4_000
/** Interval of SIGCONT while a cell is interrupted: a cell can stop the keeper. In milliseconds. */
const continueEveryMs = 100

/** How a {@link CellInterrupt} reaches the keeper. */
export interface InterruptedKeeper {
  /** Grace period between the interrupt and SIGKILL, in milliseconds. */
  readonly killGraceMs: number
  /** Orders the interrupt. */
  order(graceMs: number): void
  /** Lets the keeper continue where it was stopped. */
  continue(): void
  /** Resolves when the reader of the output has taken everything so far. */
  held(): Promise<void>
  /** Called when the keeper does not answer in time. */
  silent(): void
}

/** Interrupts a cell when its signal is aborted, until it is disposed. */
export class CellInterrupt implements Disposable {
  readonly #signal: AbortSignal
  readonly #keeper: InterruptedKeeper
  #isOrdered = false
  #limit: Disposable | undefined
  #limitMs = 0
  #continuing: NodeJS.Timeout | undefined

  constructor(signal: AbortSignal, keeper: InterruptedKeeper) {
    this.#signal = signal
    this.#keeper = keeper
    signal.addEventListener('abort', this.#interrupt, { once: true })
    if (signal.aborted) this.#interrupt()
  }

  /** The keeper has confirmed the order. */
  confirmed(): void {
    if (this.#isOrdered) this.#silentAfter(this.#keeper.killGraceMs + confirmMs)
  }

  /** Something came from the keeper. Its answer may be behind more output. */
  heard(): void {
    if (this.#isOrdered) this.#silentAfter(this.#limitMs)
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#interrupt)
    this.#limit?.[Symbol.dispose]()
    this.#limit = undefined
    clearInterval(this.#continuing)
    this.#isOrdered = false
  }

  readonly #interrupt = (): void => {
    this.#isOrdered = true
    this.#keeper.order(this.#keeper.killGraceMs)
    this.#silentAfter(confirmMs)
    this.#continuing = setInterval(() => this.#keeper.continue(), continueEveryMs)
  }

  #silentAfter(timeMs: number): void {
    this.#limit?.[Symbol.dispose]()
    this.#limitMs = timeMs
    const limit = afterGrace(timeMs, async () => {
      await this.#keeper.held()
      await pendingReads()
      if (this.#limit === limit) this.#keeper.silent()
    })
    this.#limit = limit
  }
}
