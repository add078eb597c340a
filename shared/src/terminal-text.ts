import { visibleCode } from '@fenced/errors/text'

/** Gives a terminal its colors and its other looks back. */
export const resetLooks = '\u001b[0m'

/** Returns a program with a margin before each line, so that nothing in it can pass for the question about it. */
export function quotedCode(code: string): string {
  return withMargin(visibleCode(code.replace(/\n$/, '')))
}

/** Returns a text with a margin before each line. */
export function withMargin(text: string): string {
  return text.replaceAll(/^/gm, '  | ')
}

/** The rest of a line that is longer than the terminal is wide. Nothing else begins like this. */
const continuation = '  ↪ '

/** In narrower terminals, lines are as long as in this one. */
const fewestColumns = 20

/** An escape sequence for colors, or a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are the subject of this file.
const pieces = /\u001b\[[\d;]*m|[\s\S]/gu

/**
 * Returns a text in lines that fit a terminal. The terminal would continue a longer line in its first column, where the rest of the
 * line could pass for a separate line, such as a question.
 */
export function folded(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => foldedLine(line, { columns }).text)
    .join('\n')
}

interface Fold {
  readonly columns: number
  /** Where the line begins. */
  readonly column?: number
  /** Begins the next row. */
  readonly rest?: string
}

/** Returns a line, without its line break, in rows, and the column after its last character. */
export function foldedLine(
  line: string,
  { columns, column: begin = 0, rest = continuation }: Fold,
): { readonly text: string; readonly column: number } {
  const width = Math.max(columns, fewestColumns)
  if (begin + line.length <= width && simple.test(line)) return { text: line, column: begin + line.length }
  let [text, column] = ['', begin]
  for (const [piece] of line.matchAll(pieces)) {
    const end = columnBehind(piece, column)
    const isBeyond = end > width
    if (isBeyond) text += `\n${rest}`
    text += piece
    column = isBeyond ? columnBehind(piece, widthOf(rest)) : end
  }
  return { text, column }
}

/** How many columns a text takes at most. */
export function widthOf(text: string): number {
  let column = 0
  for (const [piece] of text.matchAll(pieces)) column = columnBehind(piece, column)
  return column
}

/** Each character takes one column. */
const simple = /^[ -~]*$/

/** Terminals disagree about characters other than ASCII, so these count as wide. */
function columnBehind(piece: string, column: number): number {
  if (piece.startsWith('\u001b')) return column
  if (piece === '\t') return column - (column % 8) + 8
  return column + (piece <= '\u007f' ? 1 : 2)
}
