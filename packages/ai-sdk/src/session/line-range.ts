import { invalidArgument } from './sandbox-error.ts'

/** Lines by number, counted from 1, both included. */
export interface LineRange {
  readonly startLine?: number | undefined
  readonly endLine?: number | undefined
}

const lineFeed = 10
const carriageReturn = 13

/**
 * Takes some lines from a text that arrives in pieces, each line with the ending that it has, but for the last line that was asked
 * for by its number. A range beyond the end gives what there is of it. The other lines are not kept.
 */
export class LineSelection {
  readonly #first: number
  readonly #last: number
  readonly #kept: string[] = []
  #length = 0
  #line = 1
  /** A carriage return at the end of a piece, which may be half of an ending. */
  #held = ''

  /** @throws FencedError `SANDBOX_INVALID_ARGUMENT` when a number is no whole one from 1 on. */
  constructor({ startLine = 1, endLine }: LineRange) {
    for (const number of [startLine, endLine ?? startLine]) {
      if (!Number.isSafeInteger(number) || number < 1) {
        throw invalidArgument(`${number} is not a line number: lines are counted from 1.`, {
          line: `${number}`,
        })
      }
    }
    this.#first = startLine
    this.#last = endLine ?? Number.POSITIVE_INFINITY
  }

  get isComplete(): boolean {
    return this.#line > this.#last || this.#first > this.#last
  }

  /** How much is kept so far, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }

  push(piece: string): void {
    const text = this.#held + piece
    this.#held = text.endsWith('\r') ? '\r' : ''
    this.#take(this.#held === '' ? text : text.slice(0, -1))
  }

  /** @returns the selected lines. */
  end(piece: string): string {
    const text = this.#held + piece
    this.#held = ''
    this.#take(text)
    return this.#kept.join('')
  }

  #take(text: string): void {
    let start = 0
    for (let end = 0; end < text.length && !this.isComplete; end += 1) {
      const code = text.charCodeAt(end)
      if (code !== lineFeed && code !== carriageReturn) continue
      const behind = code === carriageReturn && text.charCodeAt(end + 1) === lineFeed ? end + 2 : end + 1
      this.#keep(text.slice(start, this.#line === this.#last ? end : behind))
      this.#line += 1
      start = behind
      end = behind - 1
    }
    if (!this.isComplete) this.#keep(text.slice(start))
  }

  #keep(part: string): void {
    if (this.#line < this.#first || part === '') return
    this.#kept.push(part)
    this.#length += part.length
  }
}
