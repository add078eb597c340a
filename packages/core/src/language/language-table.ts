import type { Language } from './language.ts'
import { languages } from './languages.ts'

/** Finds languages by id or alias. */
export interface LanguageTable {
  /** The row for a name in any case (`Python`, `py`, `python3.12`), or `undefined`. */
  find(name: string): Language | undefined
  readonly rows: readonly Language[]
}

/**
 * A table of the built-in languages and `additions`. An addition replaces the built-in row of the same id, and
 * its names win over built-in ones.
 */
export function createLanguageTable(additions: readonly Language[] = []): LanguageTable {
  const added = new Set(additions.map((language) => language.id))
  const rows = [...languages.filter((language) => !added.has(language.id)), ...additions]
  const byName = new Map(rows.flatMap((row) => [row.id, ...row.aliases].map((name) => [name, row] as const)))
  return { rows, find: (name) => byName.get(canonicalName(name)) }
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
  const bare = name.toLowerCase().replace(/^\{?\.?/, '').replace(/\}$/, '')
  return /^python\d(\.\d+)*$/.test(bare) ? 'python' : bare
}
