import type { Readable } from 'node:stream'
import { readIntoOneBuffer } from './read-into-one-buffer.ts'

/** Takes a chunk, whose memory is used again afterwards; a promise asks to wait before the next one. */
export type Sink = (chunk: Uint8Array) => void | Promise<void>

/** How long {@link OutputPump.drain} waits, in milliseconds. */
export interface DrainTimes {
  /** For something to come. */
  readonly quietMs: number
  /** In all, without the time for which the sink is busy: a process that is not found can write for ever. */
  readonly longestMs: number
}

/** Moves what comes out of a stream into a sink, and knows when it is over. */
export class OutputPump {
  /** Resolves when the stream has ended and the sink has taken everything. */
  readonly done: Promise<void>
  readonly #stream: Readable
  #chunks = 0
  #holding = false

  constructor(pipe: Readable, sink: Sink) {
    const stream = readIntoOneBuffer(pipe, (chunk) => {
      this.#chunks++
      const held = sink(chunk)
      if (held !== undefined) void this.#holdUntil(held)
    })
    this.#stream = stream
    this.done = new Promise((resolve) => {
      stream.once('close', resolve)
      stream.once('error', resolve)
    })
  }

  /** Waits for the end while something comes, but not for long, or the sink is busy; `false` when it gave the stream up. */
  async drain({ quietMs, longestMs }: DrainTimes): Promise<boolean> {
    let waitedMs = 0
    for (let seen = -1; (seen !== this.#chunks && waitedMs < longestMs) || this.#holding; ) {
      seen = this.#chunks
      const isHeld = this.#holding
      if (await endsWithin(this.done, quietMs)) return true
      if (!isHeld) waitedMs += quietMs
    }
    this.#stream.destroy()
    return false
  }

  async #holdUntil(ready: Promise<void>): Promise<void> {
    this.#holding = true
    this.#stream.pause()
    await ready
    this.#holding = false
    this.#stream.resume()
  }
}

/** Whether `promise` settles within a time in milliseconds. */
export async function endsWithin(promise: Promise<unknown>, timeMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, timeMs, false)
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
