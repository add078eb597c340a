import { Transform, type TransformCallback } from 'node:stream'
import { Demultiplexer } from '@fenced/docker-engine'
import { TextTail } from '@fenced/host'

/** How much of what goes to stderr is kept, in UTF-16 code units. */
const tailLength = 8_192

/** The stdout of an exec, out of the stream that the engine gives of it; of its stderr the end is kept. */
export class StdoutStream extends Transform {
  readonly #errors = new TextTail(tailLength)
  readonly #demultiplexer = new Demultiplexer((stream, chunk) => {
    if (stream === 'stdout') this.push(Buffer.from(chunk))
    else this.#errors.push(Buffer.from(chunk).toString())
  })
  #seenAt = performance.now()

  /** How long nothing has come although it was read, in milliseconds. */
  get quietMs(): number {
    return this.isPaused() ? 0 : performance.now() - this.#seenAt
  }

  /** The end of what came on stderr. */
  get lastWords(): string {
    return this.#errors.text.trim()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#seenAt = performance.now()
    try {
      this.#demultiplexer.push(chunk)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}
