import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { raceTimeout, readIntoOneBuffer } from '@fenced/shared'

/** Takes a chunk, whose memory is used again afterwards; a promise asks to wait before the next one. Must not throw. */
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
  readonly #stream: Readable & Partial<Pick<Socket, 'ref' | 'unref'>>
  #chunks = 0
  #isHeld = false

  constructor(pipe: Readable, sink: Sink) {
    const take = (chunk: Uint8Array) => {
      this.#chunks++
      const taken = sink(chunk)
      if (taken !== undefined) void this.#holdUntil(taken)
    }
    const stream = readIntoOneBuffer(pipe, take)?.resume() ?? pipe.on('data', take)
    this.#stream = stream
    this.done = new Promise((resolve) => {
      stream.once('close', resolve)
      stream.once('error', resolve)
    })
  }

  /**
   * Waits for the end of the stream while something comes, within limits, or the sink is busy. A sink that is still busy
   * when the signal is aborted is not waited for.
   *
   * @returns `false` when something may still hold the stream open.
   */
  async drain({ quietMs, longestMs }: DrainTimes, signal: AbortSignal): Promise<boolean> {
    let waitedMs = 0
    let seen = -1
    for (;;) {
      const isHeld = this.#isHeld && !signal.aborted
      if (!isHeld && (seen === this.#chunks || waitedMs >= longestMs)) break
      seen = this.#chunks
      if ((await raceTimeout(this.done, quietMs)) !== 'late') return true
      if (!isHeld) waitedMs += quietMs
    }
    this.#stream.destroy()
    return this.#isHeld
  }

  /** Keeps this process going while the stream is open, as it does at first. */
  ref(): void {
    this.#stream.ref?.()
  }

  unref(): void {
    this.#stream.unref?.()
  }

  async #holdUntil(taken: Promise<void>): Promise<void> {
    this.#isHeld = true
    this.#stream.pause()
    await taken
    this.#isHeld = false
    this.#stream.resume()
  }
}
