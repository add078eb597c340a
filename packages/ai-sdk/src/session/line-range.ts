import { invalidArgument } from './sandbox-error.ts'

/** Lines by number, counted from 1, both included. */
export interface LineRange {
  readonly startLine?: number | undefined
  readonly endLine?: number | undefined
}

/**
 * A part of a text, each line with the ending that it has, but for the last one when more of the text follows or it was
 * asked for by its number. A range beyond the end gives what there is of it.
 *
 * @throws FencedError `SANDBOX_INVALID_ARGUMENT` when a number is no whole one from 1 on.
 */
export function linesOf(text: string, { startLine = 1, endLine }: LineRange): string {
  for (const number of [startLine, endLine ?? startLine]) {
    if (!Number.isSafeInteger(number) || number < 1) {
      throw invalidArgument(`${number} is no line of a text: lines are counted from 1.`, {
        line: `${number}`,
      })
    }
  }
  if (startLine === 1 && endLine === undefined) return text
  const lines = text.split(/(?<=\r\n|\n|\r(?!\n))/)
  const part = lines.slice(startLine - 1, endLine).join('')
  return endLine !== undefined && endLine <= lines.length ? part.replace(/(\r\n|\n|\r)$/, '') : part
}
