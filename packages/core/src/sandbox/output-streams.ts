import { Readable } from 'node:stream'
import type { StreamName } from './sandbox-process.ts'

/** How much of a stream that nobody reads is kept, in bytes. */
const keptBytes = 2 ** 20

/**
 * A process's output as two streams, for who gives no sink. One that is read holds the process up while its reader is
 * behind. One that is not read must not: the reader waits for the other one, perhaps for its end.
 */
export class OutputStreams {
  readonly stdout = new OutputStream()
  readonly stderr = new OutputStream()

  /** An `OutputSink`. */
  readonly write = (stream: StreamName, chunk: Uint8Array): void | Promise<void> => this[stream].accept(chunk)

  /** Nothing more comes. */
  end(): void {
    this.stdout.finish()
    this.stderr.finish()
  }
}

class OutputStream extends Readable {
  #droppedBytes = 0
  #hasEnded = false
  /** Writes that wait until the reader has room. */
  #held: (() => void)[] = []

  override _read(): void {
    this.#letGo()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#letGo()
    callback(error)
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size)
    // Behind what was kept comes, in the place of the stream's end, what it lacks.
    if (this.#hasEnded && this.readableLength === 0) process.nextTick(() => this.#endWithLoss())
    return chunk
  }

  accept(chunk: Uint8Array): void | Promise<void> {
    if (this.destroyed) return
    if (!this.#isRead && this.readableLength + chunk.length > keptBytes) {
      this.#droppedBytes += chunk.length
      return
    }
    const hasRoom = this.push(Buffer.from(chunk))
    if (hasRoom || !this.#isRead) return
    return new Promise((resolve) => {
      this.#held.push(resolve)
    })
  }

  finish(): void {
    this.#hasEnded = true
    if (this.#droppedBytes === 0) this.push(null)
    else if (this.readableLength === 0) this.#endWithLoss()
  }

  #letGo(): void {
    for (const resolve of this.#held.splice(0)) resolve()
  }

  #endWithLoss(): void {
    if (this.#droppedBytes > 0) this.destroy(this.#loss())
  }

  /** A stream begins to flow, or gets a listener, when somebody means to read it. */
  get #isRead(): boolean {
    return this.readableFlowing !== null || this.listenerCount('readable') > 0
  }

  #loss(): Error {
    return new Error(
      `${this.#droppedBytes} bytes of this stream were dropped, because nobody read it while more than ${keptBytes} bytes waited. Read both streams at the same time, or take the output with a sink.`,
    )
  }
}
