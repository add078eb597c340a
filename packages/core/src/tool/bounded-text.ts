import { wholeCharacter } from '@fenced/shared'
import { knownOptions, type OptionNames } from '../options/known-options.ts'
import { withoutTerminalSequences } from './terminal-sequences.ts'

/** Options for {@link boundedText}. */
export interface BoundedTextOptions {
  /** Maximum length of the kept text, in characters (UTF-16 code units), not counting the line that marks the cut. */
  readonly maxLength: number
  /** Number of bytes that had already been dropped from the text, to be reported in the same line. Default: 0. */
  readonly bytesLeftOut?: number
}

const boundedOptionNames: OptionNames<BoundedTextOptions> = { maxLength: true, bytesLeftOut: true }

/**
 * Shortens a text for a model to its beginning and end, with a line in between that gives the number of characters left out. The
 * end contains the program's results and the reason for a failure. A line that is overwritten with carriage returns, such as a
 * progress bar, keeps only its final state. Escape sequences for terminals, such as colors, are left out.
 */
export function boundedText(printed: string, options: BoundedTextOptions): string {
  return boundedOutput(printed, options).text
}

/** Returns the {@link boundedText}, and the number of characters that its line says are left out. */
export function boundedOutput(
  printed: string,
  options: BoundedTextOptions,
): { readonly text: string; readonly omittedCharacters: number } {
  const { maxLength, bytesLeftOut = 0 } = knownOptions(options, boundedOptionNames, 'boundedText()')
  const text = lastStates(withoutTerminalSequences(printed))
  if (text.length <= maxLength) return { text, omittedCharacters: 0 }
  const headEnd = wholeCharacter(text, Math.ceil(maxLength / 2))
  const tailStart = wholeCharacter(text, text.length - Math.floor(maxLength / 2))
  const before = bytesLeftOut === 0 ? '' : `, and ${bytesLeftOut} bytes that were left out before`
  const omittedCharacters = tailStart - headEnd
  const gap = `\n[... ${omittedCharacters} of ${text.length} characters left out${before} ...]\n`
  return { text: text.slice(0, headEnd) + gap + text.slice(tailStart), omittedCharacters }
}

function lastStates(text: string): string {
  if (!text.includes('\r')) return text
  const lines = text.split('\n').map((line) => line.replace(/\r+$/, ''))
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).join('\n')
}
