import { StringDecoder } from 'node:string_decoder'

/** The end of a text that arrives in pieces. A piece costs as much as its length, however long the whole text is. */
export class TextTail {
  readonly #maxLength: number
  readonly #decoder = new StringDecoder('utf8')
  #text = ''
  #length = 0

  /** @param maxLength - in UTF-16 code units. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Adds a piece, as text or as UTF-8, and returns its text. A character that is cut off comes with the next piece. */
  push(piece: string | Uint8Array): string {
    const text = typeof piece === 'string' ? piece : this.#decoder.write(piece as Buffer)
    this.#text += text
    this.#length += text.length
    // Every cut costs a copy.
    if (this.#text.length > 2 * this.#maxLength) this.#text = this.text
    return text
  }

  /** Adds another text, of which only the end is known. */
  append(other: TextTail): void {
    this.push(other.text)
    this.#length += other.length - other.text.length
  }

  /** The end, without half a character at its beginning. */
  get text(): string {
    return this.#text.slice(wholeCharacter(this.#text, Math.max(0, this.#text.length - this.#maxLength)))
  }

  /** Length of the whole text, in UTF-16 code units. */
  get length(): number {
    return this.#length
  }
}

/** The position, or the next position where it lies within a pair of surrogates. */
export function wholeCharacter(text: string, position: number): number {
  const around = text.slice(Math.max(0, position - 1), position + 1)
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(around) ? position + 1 : position
}
