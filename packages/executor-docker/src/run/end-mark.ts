/** What {@link blockScript} writes at the end of both streams, around the run's id and a digit of flags. */
const bracket = '\u001e'

/** What the mark says. */
export interface EndNote {
  readonly outOfMemory: boolean
  /** Whether it was sent a signal before it ended. */
  readonly wasStopped: boolean
}

/**
 * Takes the mark off the end of a stream, which proves that the stream is whole: a connection that was cut looks
 * just like a program that said nothing more.
 */
export class EndMark {
  readonly #opening: Buffer
  readonly #length: number
  #held = Buffer.alloc(0)
  #note: EndNote | undefined

  /** @param runId - is not to be guessed by others than the program itself, which would only fool itself. */
  constructor(runId: string) {
    this.#opening = Buffer.from(`${bracket}${runId}`)
    this.#length = this.#opening.length + 2
  }

  /** What the mark said; `undefined` while it has not come. */
  get note(): EndNote | undefined {
    return this.#note
  }

  /**
   * What of the chunk belongs to the program. Only what may be the beginning of the mark is held back, and it is
   * dropped when nothing comes after it: a stream that was cut there has lost more than that.
   */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#note !== undefined) return chunk.subarray(0, 0)
    const seen = this.#held.length === 0 ? asBuffer(chunk) : Buffer.concat([this.#held, chunk])
    const found = seen.indexOf(this.#opening)
    const end = found === -1 ? seen.length - this.#partLength(seen) : found
    if (found !== -1 && seen.length - found >= this.#length) {
      const flags = Number(String.fromCharCode(seen[found + this.#opening.length] ?? 0))
      this.#note = { outOfMemory: (flags & 1) !== 0, wasStopped: (flags & 2) !== 0 }
    }
    this.#held = Buffer.from(seen.subarray(end))
    return seen.subarray(0, end)
  }

  /** How many bytes at the end may be the beginning of the mark. */
  #partLength(seen: Buffer): number {
    const start = seen.lastIndexOf(bracket)
    const tail = start === -1 ? undefined : seen.subarray(start)
    return tail?.equals(this.#opening.subarray(0, tail.length)) ? tail.length : 0
  }
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}
