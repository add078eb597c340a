/** Grants a limited number of turns at a time, in order of arrival. */
export class TurnQueue {
  #free: number
  readonly #waiting: Array<() => void> = []

  /** @param count - the number of turns at a time. */
  constructor(count = 1) {
    this.#free = count
  }

  /** Resolves when it is the caller's turn; dispose it to let the next one through. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#wait(signal)
    return { [Symbol.dispose]: () => this.#next() }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      const index = this.#waiting.indexOf(resolve)
      // Not there any more: the turn has just been handed over, and the caller will see its signal.
      if (index === -1) return
      this.#waiting.splice(index, 1)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    this.#waiting.push(resolve)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  #next(): void {
    const next = this.#waiting.shift()
    // The turn is handed over without a gap in which a newcomer could slip in: it is not free in between.
    if (next === undefined) this.#free++
    else next()
  }
}
