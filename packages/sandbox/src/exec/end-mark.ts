import { exitCodes } from '@fenced/core'

/** What our scripts write at the end of both streams, around the run's id, a digit of flags and the exit code. */
const bracket = '\u001e'

/** A digit and an exit code. */
const longestNote = 4

/** What the mark says. */
export interface EndNote {
  /** The program's own. */
  readonly exitCode: number
  readonly notStarted?: 'not-found' | 'not-executable'
  /** Whether it was killed because memory ran out. */
  readonly outOfMemory: boolean
  /** Whether a process of its sandbox was killed while it ran because memory ran out. */
  readonly memoryKill: boolean
  /** Whether it was sent a signal before it ended. */
  readonly wasStopped: boolean
  /** Whether not all that it started could be ended. */
  readonly leftBehind: boolean
}

/**
 * Takes the mark off the end of a stream, which proves that the stream is whole: a connection that was cut looks
 * just like a program that said nothing more.
 */
export class EndMark {
  readonly #opening: Buffer
  #held = Buffer.alloc(0)
  #note: EndNote | undefined

  /** @param runId - is not to be guessed by others than the program itself, which would only fool itself. */
  constructor(runId: string) {
    this.#opening = Buffer.from(`${bracket}${runId}`)
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
    if (found !== -1) {
      const inside = found + this.#opening.length
      const close = seen.indexOf(bracket, inside)
      // A program that knows its run's id may write half a mark: it fools itself, and must not be kept in memory.
      const isOver = close !== -1 || seen.length - inside > longestNote
      if (isOver) this.#note = noteOf(seen.toString('latin1', inside, close === -1 ? inside : close))
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

const nothingElse = { outOfMemory: false, memoryKill: false, wasStopped: false, leftBehind: false }

/** @param text - a digit, and the exit code. */
function noteOf(text: string): EndNote {
  const flags = Number(text.slice(0, 1)) || 0
  if (flags >= 8) {
    const notStarted = flags === 8 ? 'not-found' : 'not-executable'
    return { exitCode: 0, notStarted, ...nothingElse }
  }
  const exitCode = Number(text.slice(1)) || 0
  const memoryKill = (flags & 1) !== 0
  return {
    exitCode,
    memoryKill,
    outOfMemory: memoryKill && exitCode === exitCodes.killed,
    wasStopped: (flags & 2) !== 0,
    leftBehind: (flags & 4) !== 0,
  }
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}
