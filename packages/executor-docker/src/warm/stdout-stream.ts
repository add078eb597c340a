import { Readable } from 'node:stream'
import { TextTail } from '@fenced/host'
import type { BackendProcess } from '../backend.ts'

/** How much of what goes to stderr is kept, in UTF-16 code units. */
const tailLength = 8_192

/** The stdout of a process as a stream; of its stderr the end is kept. */
export class StdoutStream extends Readable {
  readonly #process: BackendProcess
  readonly #errors = new TextTail(tailLength)
  #seenAt = performance.now()
  /** Called when there is room again. */
  #onRoom: (() => void) | undefined

  constructor(process: BackendProcess) {
    super()
    this.#process = process
    process
      .read((stream, chunk) => {
        this.#seenAt = performance.now()
        if (stream === 'stdout') return this.#pass(Buffer.from(chunk))
        this.#errors.push(Buffer.from(chunk).toString())
      })
      .then(
        () => this.push(null),
        (error: Error) => this.destroy(error),
      )
  }

  /** How long nothing has come although it was read, in milliseconds. */
  get quietMs(): number {
    return this.isPaused() ? 0 : performance.now() - this.#seenAt
  }

  /** The end of what came on stderr. */
  get lastWords(): string {
    return this.#errors.text.trim()
  }

  override _read(): void {
    this.#onRoom?.()
    this.#onRoom = undefined
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this._read()
    this.#process.destroy()
    done(error)
  }

  #pass(chunk: Buffer): void | Promise<void> {
    if (this.destroyed || this.push(chunk)) return undefined
    return new Promise((resolve) => {
      const earlier = this.#onRoom
      this.#onRoom = () => {
        earlier?.()
        resolve()
      }
    })
  }
}
