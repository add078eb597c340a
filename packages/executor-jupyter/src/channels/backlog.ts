import type { IncomingMessage } from '../protocol/incoming-message.ts'

/** How much may wait to be read, in bytes. A kernel whose output is paced has less on its way. */
const capacity = 16 * 2 ** 20

/** How much is taken at a stretch, in bytes, before timers and sockets have their turn. */
const stretch = 2 ** 16

/** What a message counts for at least, in bytes: a short one costs something, too. */
const leastWeight = 1_024

/** Kinds of messages of which a program can send any number, and without which a cell ends all the same. */
const output = new Set(['stream', 'display_data', 'update_display_data'])

export interface BacklogListener {
  /** Takes one message. A promise holds back all that come behind it. */
  take(message: IncomingMessage): void | Promise<void>
  /** Output of so many bytes was left out, because too much of it waited. */
  dropped(byteCount: number): void
}

/**
 * Messages of a kernel between their arrival and their turn. It costs more to read a message than to receive it, and
 * a reader may be slow, so what waits is bounded before anything of it is read: then the oldest output goes, and never
 * what says how a cell ends.
 */
export class Backlog {
  readonly #listener: BacklogListener
  #waiting: IncomingMessage[] = []
  #waitingBytes = 0
  #isDraining = false
  #draining = Promise.resolve()
  #atOnce = 0
  #closed = false

  constructor(listener: BacklogListener) {
    this.#listener = listener
  }

  /** Resolves when everything that has arrived was taken. */
  async drained(): Promise<void> {
    await this.#draining
  }

  push(message: IncomingMessage): void {
    if (this.#closed) return
    this.#waiting.push(message)
    this.#waitingBytes += weightOf(message)
    if (this.#waitingBytes > capacity) this.#makeRoom()
    if (!this.#isDraining) this.#draining = this.#drain()
  }

  /** Nobody takes anything any more. */
  close(): void {
    this.#closed = true
    this.#waiting = []
  }

  async #drain(): Promise<void> {
    this.#isDraining = true
    for (;;) {
      const message = this.#waiting.shift()
      if (message === undefined) break
      this.#waitingBytes -= weightOf(message)
      const taken = this.#listener.take(message)
      if (taken !== undefined) await taken
      this.#atOnce += weightOf(message)
      if (this.#atOnce >= stretch) await this.#giveWay()
    }
    this.#isDraining = false
  }

  async #giveWay(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#atOnce = 0
  }

  /** Half of it at once, so that the search for what can go is seldom. The newest stays, of whatever size. */
  #makeRoom(): void {
    let droppedBytes = 0
    const newest = this.#waiting.at(-1)
    this.#waiting = this.#waiting.filter((message) => {
      const stays = this.#waitingBytes <= capacity / 2 || message === newest || !output.has(message.type)
      if (stays) return true
      this.#waitingBytes -= weightOf(message)
      droppedBytes += message.byteCount
      return false
    })
    if (droppedBytes > 0) this.#listener.dropped(droppedBytes)
  }
}

function weightOf({ byteCount }: IncomingMessage): number {
  return Math.max(byteCount, leastWeight)
}
