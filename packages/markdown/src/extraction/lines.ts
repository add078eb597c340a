/**
 * Cuts text that arrives in chunks into lines, without their endings (`\n`, `\r\n` or a lone `\r`; CommonMark
 * 2.1). Where the chunks were cut makes no difference, not even between `\r` and `\n`. A byte order mark is
 * dropped, and U+0000 replaced (CommonMark 2.3).
 */
export class LineSplitter {
  #unfinished = ''
  #started = false
  #afterCarriageReturn = false

  /** The lines whose ending has arrived with this chunk. */
  push(chunk: string): string[] {
    if (chunk === '') return []
    const text = chunk.replaceAll('\0', '\uFFFD')
    const lines: string[] = []
    let start = !this.#started && text.startsWith('\uFEFF') ? 1 : 0
    this.#started = true
    for (let end = start; end < text.length; end += 1) {
      const character = text[end]
      // A `\r` ends its line at once; the `\n` of a `\r\n`, which may come with the next chunk, ends nothing more.
      if (character === '\n' && this.#afterCarriageReturn) start = end + 1
      else if (character === '\n' || character === '\r') {
        lines.push(this.#unfinished + text.slice(start, end))
        this.#unfinished = ''
        start = end + 1
      }
      this.#afterCarriageReturn = character === '\r'
    }
    this.#unfinished += text.slice(start)
    return lines
  }

  /** The last line, when it has no ending. */
  end(): string[] {
    return this.#unfinished === '' ? [] : [this.#unfinished]
  }
}

/** The number of lines for which a doubtful closing fence may delay a block of streamed text. */
const MAX_LOOK_AHEAD_LINES = 1000

/**
 * The number of characters that may be read again: a fixed number, plus a number per character of the text. When they are
 * used up, no fence is doubtful. This keeps the work linear for a series of doubtful fences.
 */
const READ_AGAIN = { free: 100_000, perCharacter: 4 }

/** Lines in the order of their arrival, which can be gone back over. */
export class LineQueue {
  #lines: string[] = []
  #next = 0
  #forgotten = 0
  /** Line endings included, as in `#charactersRead`. */
  #charactersAdded = 0
  #charactersRead = 0

  /** The number of the last line that was read, counted from 1. */
  get position(): number {
    return this.#forgotten + this.#next
  }

  /** Whether the lines behind `position` may still be held back, to be read again from there. */
  mayReadAgain(position: number): boolean {
    const charactersReadAgain = Math.max(0, this.#charactersRead - this.#charactersAdded)
    return (
      this.position - position <= MAX_LOOK_AHEAD_LINES &&
      charactersReadAgain <= READ_AGAIN.free + READ_AGAIN.perCharacter * this.#charactersAdded
    )
  }

  add(line: string): void {
    this.#charactersAdded += line.length + 1
    this.#lines.push(line)
  }

  /** The next line, or `undefined` until one is added. */
  read(): string | undefined {
    const line = this.#lines[this.#next]
    if (line === undefined) return undefined
    this.#next += 1
    this.#charactersRead += line.length + 1
    return line
  }

  /** Makes the line after `position` the next line. No later line may have been forgotten. */
  goBack(position: number): void {
    this.#next = position - this.#forgotten
  }

  /** Drops the lines that have been read; some at a time, because a new array costs more than a line. */
  forget(): void {
    if (this.#next < 1000) return
    this.#lines = this.#lines.slice(this.#next)
    this.#forgotten += this.#next
    this.#next = 0
  }
}

const TAB_STOP = 4

/**
 * A position in a line. It counts in columns, because a tab reaches to the next multiple of four (CommonMark 2.2)
 * and can belong half to a container's prefix and half to its content.
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

  /** The rest of the line, without its indentation. */
  get content(): string {
    return this.#text.slice(this.#contentOffset)
  }

  /** The rest of the line, with its indentation; the rest of a half-used tab becomes spaces. */
  get rest(): string {
    if (!this.#insideTab) return this.#text.slice(this.#offset)
    return ' '.repeat(columnsToTabStop(this.#column)) + this.#text.slice(this.#offset + 1)
  }

  /** Skips the indentation and `length` characters after it. */
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
