import { arch, availableParallelism, cpus, platform } from 'node:os'
import { type Figures, type Row, threeDigits } from './measure.ts'

/** What the figures were taken on. */
export const machine = {
  node: process.version,
  platform: `${platform()} ${arch()}`,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cpuCount: availableParallelism(),
} as const

/** All that one run says. */
export interface Report {
  readonly machine: typeof machine
  readonly rows: readonly Row[]
}

/** The machine, and what we run in. */
export function takenOn({ machine }: Report): string {
  const { node, platform, cpu, cpuCount } = machine
  return `Node ${node.replace(/^v/, '')}, ${platform}, ${cpuCount} × ${cpu}`
}

/** The versions of everything else that took part. */
export function takenWith({ rows }: Report): string {
  const versions = new Map<string, Set<string>>()
  for (const [name, version] of rows.flatMap((row) => Object.entries(row.versions ?? {}))) {
    versions.set(name, (versions.get(name) ?? new Set()).add(version))
  }
  return [...versions].map(([name, found]) => `${name} ${[...found].join(' and ')}`).join(', ')
}

const titles = [
  'measured',
  'n',
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
  return [head, rule, ...body].join('\n')
}

/** The cells of a row, with units. */
export function cells({
  measured,
  rounds,
  unit,
  ours,
  reference,
  ratio,
  goal,
  met,
  note,
}: Row): readonly string[] {
  return [
    measured,
    String(rounds),
    ...figures(ours, unit),
    ...figures(reference, unit),
    ratio === undefined ? '' : ratio.toFixed(ratio < 0.1 ? 3 : 2),
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

/** What the figures were taken on and with. */
export function caption(report: Report): string {
  const on = `${takenOn(report)}. n is how many times each was measured.`
  const caveat =
    'Ratios compare the p50s of rounds that take turns; on a busy machine they vary, and the milliseconds even more.'
  const versions = takenWith(report)
  return [...(versions === '' ? [] : [`${versions}.`]), on, caveat].join('\n')
}
