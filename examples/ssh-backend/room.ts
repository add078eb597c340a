/** Limits concurrent sessions. Others wait in order. */
export class Room {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(size: number) {
    this.#free = size
  }

  /** Rejects with the reason of the signal. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#free > 0) {
      this.#free--
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = () => reject(signal.reason)
    this.#waiting.add(resolve)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      await promise
    } finally {
      this.#waiting.delete(resolve)
      signal.removeEventListener('abort', onAbort)
    }
  }

  leave(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#free++
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
