/** How long a connection may be silent after it was asked, in milliseconds. */
const silenceMs = 10_000

/** The same limit while stdin is being sent. The question is queued after it, and a program may read slowly. */
const busySilenceMs = 20_000

/** More than a command, in bytes. */
const busyBytes = 1_024

/** The slowest connection that is waited for, in bytes a millisecond. */
const bytesPerMs = 256

/** Whether the other side of a connection still answers. Times are those of `performance.now`. */
export class Liveness {
  #askedAt: number | undefined
  #sentBytes = 0

  /** Something came, or nothing could come. */
  heard(): void {
    this.#askedAt = undefined
    this.#sentBytes = 0
  }

  asked(now: number): void {
    this.#askedAt ??= now
  }

  sent(byteCount: number): void {
    this.#sentBytes += byteCount
  }

  isLost(now: number): boolean {
    if (this.#askedAt === undefined) return false
    const isBusy = this.#sentBytes > busyBytes
    const limitMs = isBusy ? busySilenceMs + this.#sentBytes / bytesPerMs : silenceMs
    return now - this.#askedAt >= limitMs
  }
}
