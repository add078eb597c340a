/** Reads a program line by line; `open` is true inside a literal that a later line has to end. */
export interface MultilineLiterals {
  next(line: string): void
  readonly open: boolean
}

/** Returns the scanner for a language: triple-quoted strings in Python, heredocs in a shell. */
export function multilineLiterals(language: string): MultilineLiterals | undefined {
  if (language === 'python') return new PythonStringScanner()
  return language === 'sh' || language === 'bash' ? new HeredocScanner() : undefined
}

/**
 * Follows the string literals of a Python program line by line, in one pass and without parsing it.
 *
 * Prefixes (`r`, `f`, `b`) make no difference here: a backslash keeps a quote from ending the string in a raw
 * string too. A replacement field of an f-string that reuses the string's own triple quotes (Python 3.12) is not
 * recognised.
 */
export class PythonStringScanner {
  /** The quotes that end the current string; empty outside of strings. */
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

/** The tokens inside a string: an escaped character, or the quotes that end it. */
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

/** The contexts around the scanner's position; commands at the bottom. */
type Context = 'command' | 'double quotes' | 'single quotes' | 'arithmetic'

interface Heredoc {
  readonly delimiter: string
  /** `<<-`: leading tabs are dropped, before the delimiter too. */
  readonly dropTabs: boolean
}

/**
 * Follows the heredocs of a shell program line by line (POSIX 2.7.4), in one pass and without parsing it. It
 * knows enough about quotes, comments, `$(...)` and `((...))` to distinguish a heredoc from `<<` in a
 * string or a comment, from a shift, and from `<<<`.
 */
export class HeredocScanner {
  readonly #contexts: Context[] = []
  /** The heredocs whose bodies follow, the next one last. */
  #heredocs: Heredoc[] = []

  /** Whether the next line stands inside a heredoc. */
  get open(): boolean {
    return this.#heredocs.length > 0
  }

  /** Reads the next line, given without its line ending. */
  next(line: string): void {
    const heredoc = this.#heredocs.at(-1)
    if (heredoc === undefined) this.#readCommands(line)
    else if (isDelimiter(line, heredoc)) this.#heredocs.pop()
  }

  #readCommands(line: string): void {
    const found: Heredoc[] = []
    let offset = 0
    while (offset < line.length) {
      const pattern = tokens[this.#contexts.at(-1) ?? 'command']
      pattern.lastIndex = offset
      const match = pattern.exec(line)
      if (match === null || (match[0] === '#' && startsWord(line, match.index))) break
      if (match.groups?.word === undefined) this.#enterOrLeave(match[0])
      else found.push({ delimiter: unquote(match.groups.word), dropTabs: match.groups.dash === '-' })
      offset = pattern.lastIndex
    }
    this.#heredocs = found.reverse()
  }

  #enterOrLeave(token: string): void {
    const context = this.#contexts.at(-1)
    if (token === '"') this.#toggle('double quotes')
    else if (token === "'") this.#toggle('single quotes')
    else if (token === ')') this.#contexts.pop()
    else if (token.endsWith('((')) this.#contexts.push('arithmetic', 'arithmetic')
    else if (token.endsWith('(')) this.#contexts.push(context === 'arithmetic' ? context : 'command')
  }

  #toggle(quotes: Context): void {
    if (this.#contexts.at(-1) === quotes) this.#contexts.pop()
    else this.#contexts.push(quotes)
  }
}

/** The tokens of each context. An escaped character is a token so that it is skipped. */
const tokens: Readonly<Record<Context, RegExp>> = {
  command: /\\.|<<<|<<(?<dash>-?)[ \t]*(?<word>(?:\\.|'[^']*'|"[^"]*"|[^\s\\'";&|<>()])+)|\(\(|[()"'#]/gs,
  'double quotes': /\\.|\$\(\(?|"/gs,
  'single quotes': /'/g,
  arithmetic: /[()]/g,
}

/** `#` begins a comment only where a word begins: not in `$#` or `a#b`. */
function startsWord(line: string, offset: number): boolean {
  return offset === 0 || /[\s;&|()]/.test(line.charAt(offset - 1))
}

function unquote(word: string): string {
  return word.replace(/\\(.)|['"]/gs, '$1')
}

function isDelimiter(line: string, { delimiter, dropTabs }: Heredoc): boolean {
  return (dropTabs ? line.replace(/^\t+/, '') : line) === delimiter
}
