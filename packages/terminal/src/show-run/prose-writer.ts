import { visible } from '@fenced/errors/text'
import type { Theme } from '../console/theme.ts'

/** What begins a line that stays a line: a heading, a quote, a table, HTML. */
const lineStart = /^(?:#{1,6}$|[>|<])/
const listMarker = /^(?:[-*+]|\d{1,3}[.)])$/

/**
 * Writes prose that comes in pieces. In a terminal it is wrapped between words, and the lines of a paragraph are filled
 * again for the terminal's width; elsewhere it stays as it was written.
 */
export class ProseWriter {
  readonly #width: number
  #word = ''
  #spaces = ''
  /** Line breaks before the word at hand; infinitely many before the first one. */
  #breaks = Number.POSITIVE_INFINITY
  #column = 0
  /** Indentation of the lines that continue a list item. */
  #indent = ''
  #isFilled = false

  constructor({ textWidth }: Pick<Theme, 'textWidth'>) {
    this.#width = textWidth
  }

  push(text: string): string {
    let shown = ''
    for (const [token] of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
      if (token === '\n') {
        shown += this.end()
        this.#breaks++
        this.#spaces = ''
      } else if (token.trim() === '') {
        shown += this.end()
        this.#spaces += token
      } else {
        this.#word += token
      }
    }
    return shown
  }

  /** Ends the current word. The current line continues. */
  end(): string {
    if (this.#word === '') return ''
    const word = visible(this.#word)
    const shown = this.#breaks === 0 ? this.#continued(word) : this.#begun(word)
    this.#word = ''
    this.#spaces = ''
    this.#breaks = 0
    return shown
  }

  #begun(word: string): string {
    const isItem = listMarker.test(word)
    const isOwnLine = isItem || lineStart.test(word)
    const isSameIndent = this.#spaces.length === this.#indent.length
    if (this.#breaks === 1 && this.#isFilled && isSameIndent && !isOwnLine) {
      this.#spaces = ' '
      return this.#continued(word)
    }
    const breaks = Number.isFinite(this.#breaks) ? '\n'.repeat(Math.min(this.#breaks, 2)) : ''
    const indent = this.#spaces
    this.#indent = isItem ? indent + ' '.repeat(word.length + 1) : indent
    this.#isFilled = Number.isFinite(this.#width) && (isItem || !isOwnLine)
    this.#column = indent.length + word.length
    return `${breaks}${indent}${word}`
  }

  #continued(word: string): string {
    const length = [...word].length
    if (this.#column + this.#spaces.length + length <= this.#width) {
      this.#column += this.#spaces.length + length
      return `${this.#spaces}${word}`
    }
    this.#column = this.#indent.length + length
    return `\n${this.#indent}${word}`
  }
}

/** A text in lines of at most this width. */
export function wrapped(text: string, textWidth: number): string {
  const writer = new ProseWriter({ textWidth })
  return `${writer.push(text)}${writer.end()}`
}
