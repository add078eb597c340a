import type { PlacedEscape } from './escapes.ts'
import type { HashedTexts, OnText } from './hashed-texts.ts'

/** The last characters of a stream in which escapes are decoded. */
export interface Decoding {
  readonly characters: Uint8Array
  /** Where each of them begins in the stream. */
  readonly begins: Float64Array
  /** Where the next one begins. */
  readonly next: number
  /** How many more characters can be in one text with the last escape. */
  readonly left: number
}

/** A stream without an escape among its last characters: they are its bytes. */
export const undecoded: Decoding = {
  ...{ characters: new Uint8Array(), begins: new Float64Array() },
  ...{ next: 0, left: 0 },
}

/** A part of a stream. */
export interface Part {
  readonly bytes: Buffer
  /** Where it begins in the stream. */
  readonly begin: number
  /** Where the bytes end that can be read. */
  readonly end: number
}

/** Finds the texts of which characters are escaped. */
export class EscapedTexts {
  readonly #texts: HashedTexts
  readonly #onText: OnText

  constructor(texts: HashedTexts, onText: OnText) {
    this.#texts = texts
    this.#onText = onText
  }

  /** Reads the characters that can be in one text with an escape. */
  read(before: Decoding, part: Part, escapes: readonly PlacedEscape[]): Decoding {
    if (escapes.length === 0 && before === undecoded) return undecoded
    const reach = this.#texts.longest - 1
    const run = new Run(before, part)
    let { left } = before
    for (const each of escapes) {
      // It is part of an earlier escape.
      if (each.at < run.next) continue
      if (each.at - run.next > left) {
        run.addBytes(run.next + left)
        run.search(this.#texts, this.#onText)
        run.restart(Math.max(run.next, each.at - reach, part.begin))
      }
      run.addBytes(each.at)
      run.addEscape(each)
      left = reach
    }
    const count = Math.max(0, Math.min(left, part.end - run.next))
    run.addBytes(run.next + count)
    run.search(this.#texts, this.#onText)
    return left === count ? undecoded : run.rest(reach, left - count)
  }
}

/** Characters that follow one another. */
class Run {
  readonly #part: Part
  readonly #characters: Uint8Array
  /** With the end of the last character. */
  readonly #begins: Float64Array
  #count: number
  /** The first that was not looked at. */
  #from: number

  constructor({ characters, begins, next }: Decoding, part: Part) {
    const size = characters.length + part.bytes.length
    this.#part = part
    this.#characters = new Uint8Array(size)
    this.#begins = new Float64Array(size + 1)
    this.#characters.set(characters)
    this.#begins.set(begins)
    this.#begins[characters.length] = next
    this.#count = this.#from = characters.length
  }

  get next(): number {
    return this.#begins[this.#count] ?? 0
  }

  /** Adds the bytes before a place unchanged. */
  addBytes(end: number): void {
    const { bytes, begin } = this.#part
    const [begins, first, next] = [this.#begins, this.#count, this.next]
    this.#characters.set(bytes.subarray(next - begin, end - begin), first)
    this.#count += end - next
    for (let index = first; index < this.#count; index++) begins[index + 1] = next + index + 1 - first
  }

  addEscape({ code, at, length }: PlacedEscape): void {
    // No text has another character.
    this.#characters[this.#count] = code < 0x80 ? code : 0
    this.#count++
    this.#begins[this.#count] = at + length
  }

  restart(begin: number): void {
    this.#count = this.#from = 0
    this.#begins[0] = begin
  }

  search(texts: HashedTexts, onText: OnText): void {
    texts.search(this.#characters.subarray(0, this.#count), this.#from, (begin, end) =>
      onText(this.#begins[begin] ?? 0, this.#begins[end] ?? 0),
    )
    this.#from = this.#count
  }

  rest(reach: number, left: number): Decoding {
    const first = Math.max(0, this.#count - reach)
    return {
      characters: this.#characters.slice(first, this.#count),
      begins: this.#begins.slice(first, this.#count),
      ...{ next: this.next, left },
    }
  }
}
