const TAB_STOP = 4

/**
 * A position in a line. It counts in columns, because a tab reaches to the next multiple of four (CommonMark 2.2)
 * and can belong half to a container's prefix and half to what stands in it.
 */
export class LineCursor {
  readonly #text: string
  #offset = 0
  #column = 0
  #insideTab = false
  #contentOffset = 0
  #contentColumn = 0

  constructor(text: string) {
    this.#text = text
    this.#findContent()
  }

  /** Columns of spaces and tabs before the next other character. */
  get indent(): number {
    return this.#contentColumn - this.#column
  }

  /** Whether nothing but spaces and tabs is left. */
  get blank(): boolean {
    return this.#contentOffset === this.#text.length
  }

  /** The next character that is not a space or a tab; the empty string at the end. */
  get next(): string {
    return this.#text.charAt(this.#contentOffset)
  }

  /** Offset of {@link next} in the line. */
  get contentOffset(): number {
    return this.#contentOffset
  }

  /** What is left, without its indentation. */
  get content(): string {
    return this.#text.slice(this.#contentOffset)
  }

  /** What is left, with its indentation; the rest of a half-used tab becomes spaces. */
  get rest(): string {
    if (!this.#insideTab) return this.#text.slice(this.#offset)
    return ' '.repeat(columnsToTabStop(this.#column)) + this.#text.slice(this.#offset + 1)
  }

  /** Goes past the indentation and `length` characters behind it. */
  skipMarker(length: number): void {
    this.#offset = this.#contentOffset + length
    this.#column = this.#contentColumn + length
    this.#insideTab = false
    this.#findContent()
  }

  /** Goes past at most `columns` columns of indentation. */
  skipIndent(columns: number): void {
    let left = Math.min(columns, this.indent)
    while (left > 0) {
      const width = this.#text[this.#offset] === '\t' ? columnsToTabStop(this.#column) : 1
      this.#insideTab = width > left
      if (!this.#insideTab) this.#offset += 1
      this.#column += Math.min(width, left)
      left -= width
    }
  }

  #findContent(): void {
    let offset = this.#offset
    let column = this.#column
    for (; offset < this.#text.length; offset += 1) {
      const character = this.#text[offset]
      if (character === '\t') column += columnsToTabStop(column)
      else if (character === ' ') column += 1
      else break
    }
    this.#contentOffset = offset
    this.#contentColumn = column
  }
}

function columnsToTabStop(column: number): number {
  return TAB_STOP - (column % TAB_STOP)
}
