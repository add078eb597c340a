/** The rows of a table that the page shows, and columns of each. */
const maxRows = 200
const maxColumns = 50

/** The first rows of a table. */
export interface Table {
  readonly rows: readonly (readonly string[])[]
  /** Whether rows or columns are left out. */
  readonly isCut: boolean
}

/**
 * Reads the beginning of comma- or tab-separated values (RFC 4180): quoted fields can contain separators, line breaks and doubled
 * quotes.
 */
export function readTable(text: string, separator: ',' | '\t' | ';' = separatorOf(text)): Table {
  const rows: string[][] = [[]]
  let isCut = false
  // A field with the separator or line break that ends it. Sticky: each match begins where the last one ended.
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r?\\n|\\r|$)`, 'y')
  while (field.lastIndex < text.length) {
    const { lastIndex } = field
    const [found = '', quoted, plain = '', end] = field.exec(text) ?? []
    // A quote within a field: the rest of the line is the field.
    if (found === '') field.lastIndex = lastIndex + 1
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === separator) continue
    if (rows.length > maxRows) {
      isCut = true
      break
    }
    rows.push([])
  }
  const read = rows.filter((row) => row.length > 0).slice(0, maxRows)
  isCut ||= read.some(({ length }) => length > maxColumns)
  return { rows: read.map((row) => row.slice(0, maxColumns)), isCut }
}

/** The separator that the first line has most often. */
function separatorOf(text: string): ',' | '\t' | ';' {
  const [line = ''] = text.split('\n', 1)
  const counts = ([',', '\t', ';'] as const).map((each) => [each, line.split(each).length] as const)
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best))[0]
}
