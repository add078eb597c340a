import { FencedError } from '../fenced-error.ts'
import type { Language } from './language.ts'
import { languages } from './languages.ts'

/** Finds languages by id or alias. */
export interface LanguageTable {
  /** The row for a name in any case (`Python`, `py`, `python3.12`), or `undefined`. */
  find(name: string): Language | undefined
  readonly rows: readonly Language[]
}

/** What a table can have that the built-in one has not. */
export interface LanguageTableOptions {
  /** More languages. One replaces the built-in row of the same id, and its names win over built-in ones. */
  readonly languages?: readonly Language[]
  /** By id: whether a language is run or only saved, whatever its row says. */
  readonly executionPolicies?: Readonly<Record<string, boolean>>
}

/**
 * The table of the built-in languages with a caller's additions and policies.
 *
 * @throws FencedError `INVALID_OPTIONS` for a policy that names no language, or wants one run that has no command.
 */
export function createLanguageTable(options: LanguageTableOptions = {}): LanguageTable {
  const { languages: additions = [], executionPolicies = {} } = options
  const added = new Set(additions.map((language) => language.id))
  const rows = [...languages.filter((language) => !added.has(language.id)), ...additions].map((language) =>
    withPolicy(language, executionPolicies[language.id]),
  )
  refuseUnknownPolicies(executionPolicies, rows)
  const byName = new Map(
    rows.flatMap((row) => [row.id, ...row.aliases].map((name) => [name.toLowerCase(), row] as const)),
  )
  return { rows, find: (name) => byName.get(canonicalName(name)) }
}

function withPolicy(language: Language, run: boolean | undefined): Language {
  if (run === undefined || run === (language.kind === 'run')) return language
  if (!run) return { ...language, kind: 'save' }
  if (language.commands === undefined) throw wrongPolicy(`${language.id} has no command that could run it.`)
  return { ...language, kind: 'run' }
}

function refuseUnknownPolicies(policies: Readonly<Record<string, boolean>>, rows: readonly Language[]): void {
  const unknown = Object.keys(policies).find((id) => !rows.some((row) => row.id === id))
  if (unknown !== undefined) throw wrongPolicy(`${unknown} is not the id of a language.`)
}

function wrongPolicy(why: string): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `Wrong executionPolicies: ${why} Add a row to \`languages\` first.`,
  })
}

const builtIn = createLanguageTable()

/**
 * The id of a language that a model named (`py` → `python`, `{.python}` → `python`); a name that is not in the
 * table is returned in lower case.
 */
export function languageId(name: string, table: LanguageTable = builtIn): string {
  return table.find(name)?.id ?? canonicalName(name)
}

/** Lower case, without the decoration of other Markdown dialects: `{python}`, `{.python}`, `.py`, `python3.12`. */
function canonicalName(name: string): string {
  const bare = name
    .toLowerCase()
    .replace(/^\{?\.?/, '')
    .replace(/\}$/, '')
  return /^python\d(\.\d+)*$/.test(bare) ? 'python' : bare
}
