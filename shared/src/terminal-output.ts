import { visible } from '@fenced/errors/text'
import { foldedLine, resetLooks, widthOf } from './terminal-text.ts'

/** How a terminal shows output. */
interface TerminalLook {
  /** Whether a program's colors are kept. All other escape sequences are shown as text. */
  readonly colors: boolean
  /** Width of the terminal; infinite for a file. */
  readonly columns: number
}

/**
 * What a program may ask of a terminal, by the parameters of SGR: bold, dim, italic, underlined, and the foreground colors of the theme.
 * Without conceal, blinking and backgrounds, no text is invisible behind them.
 */
const harmless = /^(?:(?:0|[1-4]|2[2-4]|3[0-79]|9[0-7])?(?:;|$))*$/

/** The beginning of an escape sequence, of a surrogate pair or of `\r\n`, which the next chunk may complete. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are the subject of this file.
const incomplete = /(?:\u001b(?:\[[\d;]{0,32})?|[\uD800-\uDBFF]|\r)$/

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are the subject of this file.
const tokens = /\u001b\[(?<looks>[\d;]{0,32})m|(?<end>\r?\n)|(?<back>\r)|\u001b?[^\u001b\r\n]*/g

/**
 * Turns what programs write, in pieces, into text that is safe for a terminal: it changes nothing above the line at hand, and colors end
 * with their line. A progress bar returns to the beginning of its line. With a margin before every line, no output can pass for a line
 * of Fenced. One object serves all streams of the same terminal.
 */
export class TerminalOutput {
  /** `undefined` at the beginning of a line. */
  #margin: string | undefined
  #column = 0
  #look: TerminalLook = { colors: false, columns: Number.POSITIVE_INFINITY }
  #pending = ''
  #isColored = false

  /** A different margin than the margin of the current line begins a new line. */
  add(margin: string, text: string, look: TerminalLook): string {
    const before = this.#margin === undefined || this.#margin === margin ? '' : this.end()
    this.#look = look
    const all = `${this.#pending}${text}`
    const [held = ''] = incomplete.exec(all) ?? []
    const shown = this.#shown(margin, all.slice(0, all.length - held.length))
    this.#pending = held
    const begin = held !== '' && this.#margin === undefined ? this.#beginLine(margin) : ''
    return `${before}${shown}${begin}`
  }

  /** Ends the line at hand. */
  end(): string {
    const [pending, margin] = [this.#pending, this.#margin]
    this.#pending = ''
    if (margin === undefined) return ''
    const rest = pending === '\r' ? '' : this.#written(margin, visible(pending))
    return `${rest}${this.#endLine()}`
  }

  #shown(margin: string, text: string): string {
    let shown = ''
    for (const { 0: token, groups } of text.matchAll(tokens)) {
      if (token === '') continue
      const isLooks = groups?.looks !== undefined && this.#look.colors && harmless.test(groups.looks)
      shown += this.#margin === undefined ? this.#beginLine(margin) : ''
      if (groups?.end !== undefined) shown += this.#endLine()
      else if (groups?.back !== undefined) shown += `\r${this.#beginLine(margin)}`
      else if (isLooks) shown += this.#colored(token)
      else shown += this.#written(margin, visible(token))
    }
    return shown
  }

  #colored(sequence: string): string {
    this.#isColored = true
    return sequence
  }

  #written(margin: string, text: string): string {
    // Without a margin, a line has nothing that it could be taken for.
    if (margin === '') return text
    const folded = foldedLine(text, { columns: this.#look.columns, column: this.#column, rest: margin })
    this.#column = folded.column
    return folded.text
  }

  #beginLine(margin: string): string {
    this.#margin = margin
    this.#column = widthOf(margin)
    return margin
  }

  #endLine(): string {
    const reset = this.#isColored ? resetLooks : ''
    this.#margin = undefined
    this.#isColored = false
    return `${reset}\n`
  }
}
