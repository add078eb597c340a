/** How long a connection may be silent after it was asked, in milliseconds. */
const silenceMs = 10_000

/** Time limits while stdin is on the way, which the question and its answer come after, in milliseconds. */
const stdinMs = {
  /** The other side reads at once: a slow connection, or a busy disk, still takes some of it in this time. */
  readAtOnce: 15_000,
  /** A program may begin to read late. */
  readLater: 60_000,
} as const

/** More than a command, in bytes. */
const busyBytes = 1_024

/** Whether the other side of a connection still answers. Times are those of `performance.now`. */
export class Liveness {
  /** Whether stdin is for a script that reads it at once. */
  stdin: keyof typeof stdinMs = 'readLater'
  /** Since when there is no sign of the other side although it was asked. */
  #silentSince: number | undefined
  #queuedBytes = 0
  /** How much has left since something came. */
  #sentBytes = 0

  /** Something came, or nothing could come. */
  heard(): void {
    this.#silentSince = undefined
    this.#sentBytes = 0
  }

  asked(now: number): void {
    this.#silentSince ??= now
  }

  /** A part of stdin waits to be sent. */
  queued(byteCount: number): void {
    this.#queuedBytes += byteCount
  }

  /** A part of stdin has left this process. Once buffers are full, that is a sign of the other side. */
  sent(byteCount: number, now: number): void {
    this.#queuedBytes -= byteCount
    this.#sentBytes += byteCount
    if (this.#silentSince !== undefined) this.#silentSince = now
  }

  isLost(now: number): boolean {
    if (this.#silentSince === undefined) return false
    const isBusy = this.#queuedBytes + this.#sentBytes > busyBytes
    return now - this.#silentSince >= (isBusy ? stdinMs[this.stdin] : silenceMs)
  }
}
