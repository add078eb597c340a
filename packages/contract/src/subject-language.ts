import { type CodeBlock, createLanguageTable } from '@fenced/core'
import { builtInPrograms, type ContractPrograms } from './programs.ts'

/** A language that an executor runs, and the programs of the contract in it. */
export interface SubjectLanguage {
  readonly id: string
  /** Without those that are left out. */
  readonly programs: Partial<ContractPrograms>
}

/** The languages of an executor for which the contract has programs. The author's programs take precedence. */
export function subjectLanguages(
  run: readonly string[],
  programs: Readonly<Record<string, Partial<ContractPrograms>>>,
): SubjectLanguage[] {
  const known = { ...programs, ...without(builtInPrograms, Object.keys(programs)) }
  return Object.entries(known)
    .filter(([id]) => run.includes(id))
    .map(([id, own]) => ({ id, programs: { ...comments(id), ...own } }))
}

/** The first of the programs that are not there, as a reason. */
export function missingProgram(
  { id, programs }: SubjectLanguage,
  needs: ReadonlyArray<keyof ContractPrograms>,
): string | undefined {
  const missing = needs.find((name) => programs[name] === undefined)
  return missing === undefined ? undefined : `the program \`${missing}\` is missing in ${id}`
}

/** A block of lines in a language. */
export function blockIn({ id }: SubjectLanguage, lines: readonly string[]): CodeBlock {
  return { language: id, code: lines.join('\n') }
}

/** The ending of its files. */
export function extensionOf({ id }: SubjectLanguage): string {
  return createLanguageTable().rows.find((language) => language.id === id)?.extension ?? 'txt'
}

function comments(id: string): Partial<ContractPrograms> {
  const [syntax] = createLanguageTable().rows.find((language) => language.id === id)?.comments ?? []
  if (syntax === undefined) return {}
  const { open, close } = syntax
  return { comment: (text) => `${open} ${text}${close === undefined ? '' : ` ${close}`}` }
}

function without<Value>(
  record: Readonly<Record<string, Value>>,
  keys: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)))
}
