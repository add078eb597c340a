import type { Readable, Writable } from 'node:stream'
import type { StreamName } from '@fenced/core/driver'
import { FrameReader } from '../resident-python/frames.ts'

/** Receives the frames of a session's keeper. See `python/session/protocol.py`. */
export interface SessionFrames {
  /** Bytes of a cell's output. A returned promise holds back what follows. */
  output(stream: StreamName, chunk: Uint8Array): void | Promise<void>
  /** Bytes of calls to host tools. */
  calls(chunk: Uint8Array): void
  /** Any other frame. A returned promise holds back what follows. */
  frame(kind: string, body: Uint8Array): void | Promise<void>
  /** Anything has come, also a part of a frame. */
  heard(): void
  /** The stream has ended, or is not a stream of frames. */
  lost(): void
}

const streamOf: Readonly<Record<string, StreamName>> = { o: 'stdout', e: 'stderr' }

/** Size limits for frames that hold a result, the report of a cell, or late output, in bytes. */
const maxSizes = { v: 33 * 2 ** 20, x: 2 ** 21, i: 2 ** 20, l: 2 ** 20, y: 2 ** 17, g: 2 ** 17, q: 2 ** 20 }

/** The stream between this process and the keeper of a session. Back pressure of the reader reaches the cell. */
export class SessionStream {
  readonly #input: Writable
  readonly #output: Readable
  #held: Promise<void> = Promise.resolve()

  constructor(
    { input, output }: { readonly input: Writable; readonly output: Readable },
    receiver: SessionFrames,
  ) {
    this.#input = input
    this.#output = output
    const frames = new FrameReader({
      flowing: `${Object.keys(streamOf).join('')}t`,
      maxSizes,
      flow: (kind, chunk) => {
        const stream = streamOf[kind]
        if (stream === undefined) receiver.calls(chunk)
        else this.#hold(receiver.output(stream, chunk))
      },
      whole: (kind, body) => this.#hold(receiver.frame(kind, body)),
    })
    const onLost = () => receiver.lost()
    input.on('error', () => {})
    output.on('error', onLost).on('end', onLost).on('close', onLost)
    output.on('data', (chunk: Buffer) => {
      receiver.heard()
      try {
        frames.push(chunk)
      } catch {
        onLost()
      }
    })
    output.resume()
  }

  /** Resolves when the reader of the output has taken everything so far. */
  get held(): Promise<void> {
    return this.#held
  }

  /** Bytes that the keeper has not read yet. */
  get unread(): number {
    return this.#input.writableLength
  }

  /** Sends a frame. A text follows the JSON after a NUL. */
  send(kind: string, body: string | Uint8Array): void {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const head = Buffer.alloc(5)
    head.write(kind, 'latin1')
    head.writeUInt32BE(bytes.length, 1)
    this.#input.write(Buffer.concat([head, bytes]))
  }

  end(): void {
    this.#input.end()
  }

  #hold(ready: void | Promise<void>): void {
    if (ready === undefined) return
    const all = Promise.all([this.#held, ready]).then(() => {})
    this.#held = all
    this.#output.pause()
    void all.then(() => {
      if (this.#held === all) this.#output.resume()
    })
  }
}
