/** What the scanner stands in; commands at the bottom. */
type Context = 'command' | 'double quotes' | 'single quotes' | 'arithmetic'

interface Heredoc {
  readonly delimiter: string
  /** `<<-`: leading tabs are dropped, before the delimiter too. */
  readonly dropTabs: boolean
}

/**
 * Follows the heredocs of a shell program line by line (POSIX 2.7.4), in one pass and without parsing it. It
 * knows as much about quotes, comments, `$(...)` and `((...))` as it needs to tell a heredoc from `<<` in a
 * string, in a comment, from a shift, and from `<<<`.
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

/** What matters in each context. An escaped character is a token only so that it is stepped over. */
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
