/**
 * Follows the string literals of a Python program line by line, in one pass and without parsing it.
 *
 * Prefixes (`r`, `f`, `b`) make no difference here: a backslash keeps a quote from ending the string in a raw
 * string too. A replacement field of an f-string that reuses the string's own triple quotes (Python 3.12) is not
 * recognised.
 */
export class PythonStringScanner {
  /** The quotes that end the string which the scanner stands in; empty outside of strings. */
  #quotes = ''

  /** Whether the next line stands inside a triple-quoted string. */
  get open(): boolean {
    return this.#quotes.length === 3
  }

  /** Reads the next line, given without its line ending. */
  next(line: string): void {
    let offset = 0
    while (offset < line.length) {
      offset = this.#quotes === '' ? this.#readCode(line, offset) : this.#readString(line, offset)
    }
    // An ordinary string ends with its line, unless a backslash joins the next line to it.
    if (this.#quotes.length === 1 && !endsInBackslash(line)) this.#quotes = ''
  }

  #readCode(line: string, offset: number): number {
    const token = find(/"""|'''|["'#]/g, line, offset)
    if (token === undefined || token.text === '#') return line.length
    this.#quotes = token.text
    return token.end
  }

  #readString(line: string, offset: number): number {
    const token = find(stringTokens[this.#quotes] ?? /\\./gs, line, offset)
    if (token === undefined) return line.length
    if (token.text === this.#quotes) this.#quotes = ''
    return token.end
  }
}

/** What matters inside a string: an escaped character, or the quotes that end it. */
const stringTokens: Readonly<Record<string, RegExp>> = {
  "'": /\\.|'/gs,
  '"': /\\.|"/gs,
  "'''": /\\.|'''/gs,
  '"""': /\\.|"""/gs,
}

function find(pattern: RegExp, line: string, offset: number): { text: string; end: number } | undefined {
  pattern.lastIndex = offset
  const match = pattern.exec(line)
  return match === null ? undefined : { text: match[0], end: pattern.lastIndex }
}

function endsInBackslash(line: string): boolean {
  let count = 0
  while (line[line.length - 1 - count] === '\\') count += 1
  return count % 2 === 1
}
