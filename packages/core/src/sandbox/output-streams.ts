import { Readable } from 'node:stream'
import type { StreamName } from './sandbox-process.ts'

/** Limit for the kept bytes of an unread stream. */
const keptBytes = 2 ** 20

/**
 * A process's output as two streams, for callers without a sink. A stream that has a reader applies back pressure to the process.
 * An unread stream must not, because its reader may be waiting for the other stream to end.
 */
export class OutputStreams {
  readonly stdout = new OutputStream()
  readonly stderr = new OutputStream()

  /** An `OutputSink` that fills the two streams. */
  readonly write = (stream: StreamName, chunk: Uint8Array): void | Promise<void> => this[stream].accept(chunk)

  /** Marks the end of the output. */
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
    this.#resumeWriters()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#resumeWriters()
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

  #resumeWriters(): void {
    for (const resolve of this.#held.splice(0)) resolve()
  }

  #endWithLoss(): void {
    if (this.#droppedBytes > 0) this.destroy(this.#loss())
  }

  /** A reader makes a stream flow, or adds a listener. */
  get #isRead(): boolean {
    return this.readableFlowing !== null || this.listenerCount('readable') > 0
  }

  #loss(): Error {
    return new Error(
      `${this.#droppedBytes} bytes of this stream were dropped, because it had no reader while more than ${keptBytes} bytes waited. Read both streams at the same time, or take the output with a sink.`,
    )
  }
}
