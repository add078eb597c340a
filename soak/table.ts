import type { Row } from './row.ts'

/** A Markdown table that is aligned as plain text, too; the rows of one soak have the same columns. */
export function table(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))]
  const lines = [
    [rows[0]?.soak ?? '', ...columns, 'as promised', 'note'],
    ...rows.map((row) => [
      row.tried,
      ...columns.map((column) => `${row.figures[column] ?? ''}`),
      row.asPromised === undefined ? 'skipped' : row.asPromised ? 'yes' : 'no',
      // A note may quote what a program printed.
      (row.note ?? '').replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 200),
    ]),
  ]
  const isText = (column: number) => column === 0 || column > columns.length
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const written = lines.map((line) => {
    const cells = line.map((cell, column) => {
      const width = widths[column] ?? 0
      return isText(column) ? cell.padEnd(width) : cell.padStart(width)
    })
    return `| ${cells.join(' | ')} |`
  })
  const rule = widths.map((width, column) =>
    isText(column) ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`,
  )
  return [written[0], `|${rule.join('|')}|`, ...written.slice(1)].join('\n')
}
