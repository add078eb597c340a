import { visibleName } from '@fenced/errors/text'
import { nearestName } from '../options/unknown-option.ts'

/** The replacements for languages that models wrongly expect to run. */
const instead: Readonly<Record<string, { readonly language: string; readonly why: string }>> = {
  jsx: { language: 'javascript', why: 'Node does not run JSX' },
  tsx: { language: 'typescript', why: 'Node does not run JSX' },
}

/**
 * Returns the message for a model about a block in an unknown language, with the nearest id, and the ids of the languages that run.
 */
export function unknownLanguageMessage(language: string, runs: readonly string[]): string {
  const nearest = nearestName(language, runs)
  const meant = nearest === undefined ? '' : `Did you mean ${nearest}? `
  const message = `unknown language ${visibleName(language)}. ${meant}${runsOnly(runs)}`
  const other = instead[language.slice(language.lastIndexOf('.') + 1)]
  if (other === undefined || !runs.includes(other.language)) return message
  return `${message} ${other.why}: write the program without it, and label the block ${other.language}.`
}

/** The languages that are run, as a sentence. */
export function runsOnly(runs: readonly string[]): string {
  return `This executor runs ${runs.join(', ')}.`
}

/** A block as a model finds it in its own text. */
export function blockName(line: number | undefined): string {
  return line === undefined ? 'The block' : `The block in line ${line}`
}
