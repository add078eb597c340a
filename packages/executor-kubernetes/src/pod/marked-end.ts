import { randomBytes } from 'node:crypto'
import type { BackendProcess } from '@fenced/core/sandbox'

/** What a script prints at last. Its exit code comes a tenth of a second later, through every part of a cluster. */
export class MarkedEnd {
  /** An argument of the script. */
  readonly mark = randomBytes(16).toString('hex')
  #kept: Buffer = Buffer.alloc(0)
  #words = ''

  /** What the script wrote to stderr. */
  get words(): string {
    return this.#words.trim()
  }

  /**
   * Reads a process up to the mark, or to the end of its connection, and lets go of it.
   *
   * @returns the exit code of its command; `undefined` when it is not known.
   */
  async read(
    process: BackendProcess,
    sink: (chunk: Buffer) => void | Promise<void>,
  ): Promise<number | undefined> {
    const end = Promise.withResolvers<number>()
    const reading = process.read((stream, chunk) => {
      if (stream === 'stderr') {
        this.#words = `${this.#words}${Buffer.from(chunk)}`.slice(-2_000)
        return
      }
      const text = this.#withoutEnd(Buffer.from(chunk))
      const held = text.length === 0 ? undefined : sink(text)
      const code = this.#exitCode()
      if (code === undefined) return held
      if (held === undefined) end.resolve(code)
      else return held.then(() => end.resolve(code))
    })
    const atLast = reading.then(() => process.poll())
    try {
      return await Promise.race([end.promise, atLast])
    } finally {
      atLast.catch(() => {})
      process.destroy()
    }
  }

  /** Keeps as many bytes as the mark and a code have, which may be it. */
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

/** The end of a script whose last argument is the mark. */
export const printEnd = (argument: number) => `printf '%s%03d' "$${argument}" $?`
