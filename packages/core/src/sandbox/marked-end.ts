import { randomBytes } from 'node:crypto'
import { TextTail } from '@fenced/shared'
import type { OutputSink } from './sandbox-process.ts'

/** The mark that a script prints last, followed by its exit code: a connection that was cut looks like the end of the output. */
export class MarkedEnd {
  /** An argument of the script. */
  readonly mark = randomBytes(16).toString('hex')
  #kept: Buffer = Buffer.alloc(0)
  readonly #words = new TextTail(2_000)

  /** The end of the script's stderr. */
  get words(): string {
    return this.#words.text.trim()
  }

  /**
   * Reads a process up to the mark, or to the end of its connection.
   *
   * @returns the exit code of its script; `undefined` when the connection ended before.
   */
  async read(
    process: { read(sink: OutputSink): Promise<void> },
    sink: (chunk: Buffer) => void | Promise<void>,
  ): Promise<number | undefined> {
    const end = Promise.withResolvers<number>()
    const reading = process.read((stream, chunk) => {
      if (stream === 'stderr') {
        this.#words.push(chunk)
        return
      }
      const text = this.#withoutEnd(Buffer.from(chunk))
      const held = text.length === 0 ? undefined : sink(text)
      const code = this.#exitCode()
      if (code === undefined) return held
      if (held === undefined) end.resolve(code)
      else return held.then(() => end.resolve(code))
    })
    return Promise.race([end.promise, reading.then(() => undefined)])
  }

  /** Keeps back as many bytes as the mark and a code have. */
  #withoutEnd(chunk: Buffer): Buffer {
    const all = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk])
    const length = Math.max(0, all.length - this.mark.length - codeLength)
    this.#kept = Buffer.from(all.subarray(length))
    return all.subarray(0, length)
  }

  #exitCode(): number | undefined {
    const text = this.#kept.toString('latin1')
    return text.startsWith(this.mark) && text.length === this.mark.length + codeLength
      ? Number(text.slice(this.mark.length))
      : undefined
  }
}

const codeLength = 3
