import { machine } from './machine.ts'
import type { Figures, Row } from './row.ts'
import { threeDigits } from './three-digits.ts'

const titles = [
  'measured',
  'ours p50',
  'p95',
  'reference p50',
  'p95',
  'ratio',
  'goal',
  'met',
  'note',
] as const

/** A Markdown table that is aligned as plain text, too. */
export function table(rows: readonly Row[]): string {
  const lines = [titles, ...rows.map(cells)]
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const [head = '', ...body] = lines.map(
    (line) => `| ${line.map((cell, column) => padded(cell, column, widths[column] ?? 0)).join(' | ')} |`,
  )
  const rule = `|${widths.map((width, column) => (isText(column) ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [head, rule, ...body, '', caveat()].join('\n')
}

function cells({ measured, unit, ours, reference, ratio, goal, met, note }: Row): readonly string[] {
  return [
    measured,
    ...figures(ours, unit),
    ...figures(reference, unit),
    ratio === undefined ? '' : ratio.toFixed(2),
    goal ?? '',
    met === undefined ? '' : met ? 'yes' : 'no',
    note ?? '',
  ]
}

function figures(spread: Figures | undefined, unit: Row['unit']): readonly [string, string] {
  const written = (figure: number | undefined) =>
    figure === undefined ? '' : `${threeDigits(figure)} ${unit}`
  return [written(spread?.p50), written(spread?.p95)]
}

function padded(cell: string, column: number, width: number): string {
  return isText(column) ? cell.padEnd(width) : cell.padStart(width)
}

/** Texts stand to the left and figures to the right. */
function isText(column: number): boolean {
  return column === 0 || column >= titles.indexOf('goal')
}

function caveat(): string {
  const { node, platform, cpu, cpuCount } = machine
  return `Node ${node}, ${platform}, ${cpuCount} × ${cpu}. Ratios compare the p50s of rounds that take turns; on a busy machine they vary, and the milliseconds even more.`
}
