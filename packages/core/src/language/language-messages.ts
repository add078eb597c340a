import type { CodeBlock } from '../code-block.ts'
import { visibleName } from '../text.ts'
import { builtInLanguages } from './language-table.ts'

/** What to write instead of a language that a model takes for one that is run. */
const instead: Readonly<Record<string, { readonly language: string; readonly why: string }>> = {
  jsx: { language: 'javascript', why: 'Node runs no JSX' },
  tsx: { language: 'typescript', why: 'Node runs no JSX' },
}

/**
 * What a model reads about a block in a language that is not known, with the ids of those that are run. One wording
 * for an executor and for an agent that answers in its place.
 */
export function unknownLanguageMessage(language: string, runs: readonly string[]): string {
  const message = `unknown language ${visibleName(language)}. ${runsOnly(runs)}`
  const other = instead[language.slice(language.lastIndexOf('.') + 1)]
  if (other === undefined || !runs.includes(other.language)) return message
  return `${message} ${other.why}: write the program without it, and ${other.language} behind the opening fence.`
}

/** What a model reads about a block that names no language and is not evidently a program. */
export function noLanguageMessage({ line }: { readonly line?: number }): string {
  return `${blockName(line)} names no language and was not run. If it is a program, write its language behind the opening fence.`
}

/** What a model reads about a block of data. */
export function dataMessage({ line }: { readonly line?: number }, id: string): string {
  return `${blockName(line)} is ${id}: data, which is not run.`
}

/**
 * What a model reads about a block that is not run: it names no language, an unknown one, data, or one that is not among
 * those that are run (`runs`, by their ids).
 */
export function notRunMessage(block: Pick<CodeBlock, 'language' | 'line'>, runs: readonly string[]): string {
  if (block.language === '') return noLanguageMessage(block)
  const language = builtInLanguages.find(block.language)
  if (language === undefined) return unknownLanguageMessage(block.language, runs)
  if (language.kind === 'data') return dataMessage(block, language.id)
  return `${blockName(block.line)} is ${language.id}, which is not run here. ${runsOnly(runs)}`
}

/** The languages that are run, as a sentence. */
export function runsOnly(runs: readonly string[]): string {
  return `It runs ${runs.join(', ')}.`
}

/** A block as a model finds it in its own text. */
export function blockName(line: number | undefined): string {
  return line === undefined ? 'The block' : `The block in line ${line}`
}
