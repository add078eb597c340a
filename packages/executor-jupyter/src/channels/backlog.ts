import type { IncomingMessage } from '../protocol/incoming-message.ts'

/** Capacity, in bytes. A kernel whose output is paced sends less. */
const capacity = 16 * 2 ** 20

/** Number of bytes taken before timers and sockets get their turn. */
const stretch = 2 ** 16

/** Least weight of a message, in bytes: a short message costs time too. */
const leastWeight = 1_024

/** Types of messages that can be dropped: a program can send any number of them, and no cell needs them to end. */
const output = new Set(['stream', 'display_data', 'update_display_data'])

export interface BacklogListener {
  /** Takes one message. Later messages wait until the promise resolves. */
  take(message: IncomingMessage): void | Promise<void>
  /** Called when output was dropped because too much of it was waiting. */
  dropped(byteCount: number, messageCount: number): void
}

/**
 * Queue of messages from a kernel. Reading a message costs more than receiving it, and a reader may be slow. The queue is
 * therefore bounded before its messages are read: it drops the oldest output, and never the message that ends a cell.
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

  /** Resolves when all messages that have arrived were taken. */
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

  /** Drops all messages, now and later. */
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

  /** Drops output until half of the capacity is free, so that this search is rare. Keeps the newest message. */
  #makeRoom(): void {
    let droppedBytes = 0
    const before = this.#waiting.length
    const newest = this.#waiting.at(-1)
    this.#waiting = this.#waiting.filter((message) => {
      const stays = this.#waitingBytes <= capacity / 2 || message === newest || !output.has(message.type)
      if (stays) return true
      this.#waitingBytes -= weightOf(message)
      droppedBytes += message.byteCount
      return false
    })
    const droppedCount = before - this.#waiting.length
    if (droppedCount > 0) this.#listener.dropped(droppedBytes, droppedCount)
  }
}

function weightOf({ byteCount }: IncomingMessage): number {
  return Math.max(byteCount, leastWeight)
}
