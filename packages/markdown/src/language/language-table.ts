import { FencedError } from '@fenced/errors'
import { knownNames } from '../known-names.ts'
import { trimUnseenStart, withoutIgnorable } from '../unseen.ts'
import type { Language } from './languages.ts'
import { languages } from './languages.ts'

/** Finds languages by ID or alias. */
export interface LanguageTable {
  /** Returns the row for a name in any case (`Python`, `py`, `python3.12`) or for a file (`src/app.py`), or `undefined`. */
  find(name: string): Language | undefined
  /** All languages in the table. */
  readonly rows: readonly Language[]
}

/** Additions and changes to the built-in table. */
export interface LanguageTableOptions {
  /**
   * Additional languages. A language replaces the built-in row with the same ID, and its names take precedence over built-in
   * ones.
   */
  readonly languages?: readonly Language[]
  /** Whether each language is run or only saved, keyed by language ID. Overrides the language's row. */
  readonly executionPolicies?: Readonly<Record<string, boolean>>
}

const tableOptionNames = { languages: true, executionPolicies: true } as const

/**
 * Returns the built-in language table with the given additions and policies.
 *
 * @throws FencedError `INVALID_OPTIONS` for an unknown option, or if a policy names an unknown language, or runs a language that has no command.
 */
export function createLanguageTable(options: LanguageTableOptions = {}): LanguageTable {
  const { languages: additions = [], executionPolicies = {} } = knownNames(
    options,
    tableOptionNames,
    'createLanguageTable()',
  )
  const added = new Set(additions.map((language) => language.id))
  const rows = [...languages.filter((language) => !added.has(language.id)), ...additions].map((language) =>
    withPolicy(language, executionPolicies[language.id]),
  )
  refuseUnknownPolicies(executionPolicies, rows)
  const byName = namesOf(rows, ({ id, aliases }) => [id, ...aliases])
  // The first language that has an extension wins: a `.sh` is sh, not bash.
  const byExtension = namesOf(rows.toReversed(), ({ extension }) => [extension])
  const find = (name: string) => {
    const canonical = canonicalName(name)
    const extension = extensionOf(canonical)
    return byName.get(canonical) ?? byName.get(extension) ?? byExtension.get(extension)
  }
  return { rows, find }
}

function namesOf(
  rows: readonly Language[],
  names: (row: Language) => readonly string[],
): ReadonlyMap<string, Language> {
  return new Map(rows.flatMap((row) => names(row).map((name) => [name.toLowerCase(), row] as const)))
}

function withPolicy(language: Language, run: boolean | undefined): Language {
  if (run === undefined || run === (language.kind === 'run')) return language
  if (!run) return { ...language, kind: 'save' }
  if (language.commands === undefined)
    throw wrongPolicy(language.id, `${language.id} has no command that could run it.`)
  return { ...language, kind: 'run' }
}

function refuseUnknownPolicies(policies: Readonly<Record<string, boolean>>, rows: readonly Language[]): void {
  const unknown = Object.keys(policies).find((id) => !rows.some((row) => row.id === id))
  if (unknown !== undefined) throw wrongPolicy(unknown, `${unknown} is not the id of a language.`)
}

function wrongPolicy(language: string, why: string): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `Wrong executionPolicies: ${why} Add a row to \`languages\` first.`,
    data: { option: 'executionPolicies', language },
  })
}

/** The table without additions. */
export const builtInLanguages: LanguageTable = createLanguageTable()

/**
 * The file that a label names instead of a language (`app.py`); `undefined` for a name of the language, which may have
 * a dot in it as well (`python3.12`, `.py`).
 */
export function fileNameInLabel(label: string, { id, aliases }: Language): string | undefined {
  const name = canonicalName(label)
  const isLanguage = [id, ...aliases].some((known) => known.toLowerCase() === name)
  return isLanguage || extensionOf(name) === '' ? undefined : label
}

/** The name of a language by which a block asks for it: its label, or else the name that the block has, in lower case. */
export function languageNameInLabel(label: string, name: string, { id, aliases }: Language): string {
  const written = canonicalName(label)
  return [id, ...aliases].some((known) => known.toLowerCase() === written) ? written : canonicalName(name)
}

/**
 * Returns the id of a language by a name that a model wrote (`py` → `python`, `{.python}` → `python`); a name that is
 * not in the table is returned in lower case.
 */
export function languageId(name: string, table: LanguageTable = builtInLanguages): string {
  return table.find(name)?.id ?? canonicalName(name)
}

/**
 * Lower case, without invisible characters and the decoration of other Markdown dialects: `{python}`, `{.python}`, `.py`,
 * `python3.12`.
 */
function canonicalName(name: string): string {
  const bare = withoutIgnorable(name)
    .toLowerCase()
    .replace(/^\{?\.?/, '')
    .replace(/\}$/, '')
  return /^python\d(\.\d+)*$/.test(bare) ? 'python' : bare
}

/** The extension of a file's name, without the dot; the empty string for a name that has none. */
function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 && !name.endsWith('/', dot) ? name.slice(dot + 1) : ''
}

/**
 * The language in an info string: its first word, without what other tools append to it
 * (`python,ignore`, `python{1,3}`, `python:src/main.py`, `{python, echo=FALSE}`).
 *
 * CommonMark decodes backslash escapes and entities in an info string. Escapes are decoded here (`c\+\+`),
 * entities are not: no model writes them, and there are two thousand.
 */
export function languageName(info: string): string {
  const name = /^\{?[^\p{White_Space},:{}]*/u.exec(trimUnseenStart(info))?.[0] ?? ''
  return withoutIgnorable(name).replace(/\\([!-/:-@[-`{-~])/g, '$1')
}
