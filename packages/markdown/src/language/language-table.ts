import { FencedError } from '@fenced/errors'
import type { CodeBlock } from '../code-block.ts'
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
  readonly languages?: readonly Language[] | undefined
  /** Whether each language is run or only saved, keyed by language ID. Overrides the language's row. */
  readonly executionPolicies?: Readonly<Record<string, boolean>> | undefined
}

const tableOptionNames = { languages: true, executionPolicies: true } as const

/**
 * Returns the built-in language table with the given additions and policies. Without any, each call returns the same table.
 *
 * @throws FencedError `INVALID_OPTIONS` for an unknown option, or if a policy names an unknown language, or runs a language that has no command.
 */
export function createLanguageTable(options: LanguageTableOptions = {}): LanguageTable {
  const { languages: additions = [], executionPolicies = {} } = knownNames(
    options,
    tableOptionNames,
    'createLanguageTable()',
  )
  if (additions.length === 0 && Object.keys(executionPolicies).length === 0) return builtInLanguages
  const added = new Set(additions.map((language) => language.id))
  const rows = [...languages.filter((language) => !added.has(language.id)), ...additions].map((language) =>
    withPolicy(language, executionPolicies[language.id]),
  )
  refuseUnknownPolicies(executionPolicies, rows)
  return tableOf(rows)
}

function tableOf(rows: readonly Language[]): LanguageTable {
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
  const isRun = language.kind === 'run'
  if (run === undefined || (!run && !isRun)) return language
  if (!run) return { ...language, kind: 'save' }
  const { systems: _unnamed, ...named } = language
  if (isRun) return named
  if (language.commands === undefined)
    throw wrongPolicy(language.id, `${language.id} has no command that could run it.`)
  return { ...named, kind: 'run' }
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
export const builtInLanguages: LanguageTable = tableOf(languages)

/** The word after the opening fence of a block. */
export interface BlockLabel {
  /** The word as written. */
  readonly written: string
  /** The name of the language: the label if it is a name of the language, or else the block's `language`, in lower case. */
  readonly language: string
  /** The label, if it is a file name (`app.py`) instead of a name of the language, such as `python3.12` or `.py`. */
  readonly fileName?: string
}

/**
 * Returns the label of a block.
 *
 * @param language - The block's language, or `undefined` if the table does not contain it.
 */
export function labelOf(
  { language: name, info = '' }: Pick<CodeBlock, 'language' | 'info'>,
  language?: Language,
): BlockLabel {
  const written = languageName(info)
  const canonical = canonicalName(written)
  const names = language === undefined ? [] : [language.id, ...language.aliases]
  const isLanguage = names.some((known) => known.toLowerCase() === canonical)
  if (isLanguage) return { written, language: canonical }
  const label = { written, language: canonicalName(name) }
  return extensionOf(canonical) === '' ? label : { ...label, fileName: written }
}

/**
 * Returns the id of a language for a name that a model wrote (`py` → `python`, `{.python}` → `python`). A name that is
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
