import { visibleName } from '@fenced/errors/text'
import {
  type CodeBlock,
  createLanguageTable,
  type Language,
  type LanguageTable,
  languageId,
} from '@fenced/markdown'
import { nearestName } from '../../options/unknown-option.ts'
import type { Notice } from '../../vocabulary/code-result.ts'

/** The programs that an executor runs. */
export interface WhatRuns {
  /** Names of the languages. Each of them runs, even if the table does not contain it or lists it as data. */
  readonly runs: readonly string[]
  /** @default the built-in table */
  readonly languages?: LanguageTable | undefined
}

/**
 * The treatment of a block:
 *
 * - `run`: it is a program in one of the languages;
 * - `save`: it is a document;
 * - `data`: it is skipped, unless its first line or its label names a file;
 * - `skip`: it names no language, or a language that does not run.
 *
 * `notice` is for the model, and names the block and the reason.
 */
export type BlockDecision =
  | { readonly action: 'run' | 'save'; readonly language: Language }
  | { readonly action: 'data'; readonly language: Language; readonly notice: Notice }
  | { readonly action: 'skip'; readonly notice: Notice }

/** Decides whether a block is run. Executors, streams and agents use this function and no other. */
export function decideBlock(
  block: Pick<CodeBlock, 'language' | 'line' | 'tagAbove'>,
  { runs: names, languages = createLanguageTable() }: WhatRuns,
): BlockDecision {
  const runs = names.map((name) => languageId(name, languages))
  const language = languages.find(block.language)
  const known = language?.id ?? languageId(block.language, languages)
  if (runs.includes(known)) return { action: 'run', language: language ?? addedLanguage(known) }
  if (language === undefined) return { action: 'skip', notice: unknown(block, runs) }
  const { id, kind } = language
  if (kind === 'save') return { action: 'save', language }
  const data = { ...lineOf(block), language: id }
  const name = blockName(block.line)
  if (kind === 'data') {
    const message = `${name} is labeled ${id}, which is not run.`
    return { action: 'data', language, notice: { code: 'data', message, data } }
  }
  const message = `${name} is ${id}, which is not run here. ${runsOnly(runs)}`
  const notice = { code: 'unsupported-language', message, data: { ...data, known: runs.join(', ') } }
  return { action: 'skip', notice }
}

/** A language that only the executor knows. */
function addedLanguage(id: string): Language {
  return { id, aliases: [], extension: id, comments: [], kind: 'run' }
}

/** Whether a notice says that a program was skipped because of its language: a call with nothing else has failed. */
export function isWrongLanguage({ code }: Notice): boolean {
  return code === 'unknown-language' || code === 'unsupported-language'
}

/** The line of a block as data of a notice; empty where the block was in no text. */
export function lineOf({ line }: { readonly line?: number | undefined }): Record<string, string> {
  return line === undefined ? {} : { line: `${line}` }
}

function unknown(block: Pick<CodeBlock, 'language' | 'line' | 'tagAbove'>, runs: readonly string[]): Notice {
  const { language, tagAbove } = block
  const name = blockName(block.line)
  if (language === '') {
    // Most often it is output that a model shows.
    const advice = tagAbove ?? 'If it is a program, write its language after the opening fence.'
    const message = `${name} names no language and was not run. ${advice}`
    return { code: 'no-language', message, data: lineOf(block) }
  }
  const message = `${name} was not run: ${unknownLanguageMessage(language, runs)}`
  return { code: 'unknown-language', message, data: { ...lineOf(block), language, known: runs.join(', ') } }
}

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
function runsOnly(runs: readonly string[]): string {
  return `This executor runs ${runs.join(', ')}.`
}

/** A block as a model finds it in its own text. */
export function blockName(line: number | undefined): string {
  return line === undefined ? 'The block' : `The block in line ${line}`
}
