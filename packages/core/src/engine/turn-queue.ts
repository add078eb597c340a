/** Lets one at a time through, in the order in which they came. */
export class TurnQueue {
  #busy = false
  readonly #waiting: Array<() => void> = []

  /** Resolves when it is the caller's turn; dispose it to let the next one through. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#busy) await this.#wait(signal)
    this.#busy = true
    return { [Symbol.dispose]: () => this.#next() }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      const place = this.#waiting.indexOf(resolve)
      // Not there any more: the turn has just been handed over, and the caller will see its signal.
      if (place === -1) return
      this.#waiting.splice(place, 1)
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
    // The turn is handed over without a gap in which a newcomer could slip in: #busy stays true.
    if (next === undefined) this.#busy = false
    else next()
  }
}
