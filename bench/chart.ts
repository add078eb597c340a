import { type Row, threeDigits } from './measure.ts'
import { type Report, takenOn, takenWith } from './table.ts'

// The page around it tells nothing of its colors, but the reader's system does.
const style = `
text { font: 13px -apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-size: 17px; font-weight: 600 }
.task { font-size: 14px; font-weight: 600 }
.code { font-family: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.93em }
.small { font-size: 11.5px }
.end { text-anchor: end }
.figure { font-variant-numeric: tabular-nums }
.muted, .own-text, .other-text { fill: #59636e }
.ours-text { font-weight: 600 }
.ours { fill: #d4541b }
.own { fill: #f0b596 }
.other { fill: #c5ced8 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc }
.muted, .own-text, .other-text { fill: #9198a1 }
.ours { fill: #f3793f }
.own { fill: #7d4529 }
.other { fill: #4b535d }
}
`

const mostCharacters = 130

interface TextPlace {
  readonly x: number
  readonly y: number
  readonly style: string
}

/** A line of text, with what is between backticks as code. */
function text({ x, y, style }: TextPlace, line: string): string {
  const marked = escaped(line).replaceAll(/`([^`]*)`/g, '<tspan class="code">$1</tspan>')
  return `<text class="${style}" x="${x}" y="${y}">${marked}</text>`
}

/** Lines that fit, cut between words. */
function wrapped(line: string): readonly string[] {
  const lines: string[] = []
  for (const word of line.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= mostCharacters) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** What several did, each with a bar. */
interface Group {
  readonly title: string
  readonly unit: Row['unit']
  /** Of each bar; none where they differ. */
  readonly rounds: number | undefined
  readonly bars: readonly Bar[]
}

interface Bar {
  readonly name: string
  readonly kind: 'ours' | 'own' | 'other'
  readonly p50: number
  /** Beside ours. */
  readonly factor?: number
}

/** The rows of each task together, in their order. */
function groupsOf(rows: readonly Row[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const { task, unit, rounds, ours, reference } of rows) {
    if (task === undefined) continue
    const known = groups.get(task.name)
    const { title = task.name, bars = [] } = known ?? {}
    const own: Bar = { name: task.ours, kind: 'ours', p50: ours.p50 }
    const others = reference === undefined ? [] : [otherBar(task.reference ?? '', reference.p50, ours.p50)]
    // What others are beside is one bar.
    const isThere = bars.some(({ name, kind }) => name === own.name && kind === 'ours')
    groups.set(task.name, {
      title,
      unit,
      rounds: known === undefined || known.rounds === rounds ? rounds : undefined,
      bars: [...bars, ...(isThere ? [] : [own]), ...others],
    })
  }
  return [...groups.values()]
}

function otherBar(name: string, p50: number, ours: number): Bar {
  return { name, kind: name.startsWith('Fenced') ? 'own' : 'other', p50, factor: p50 / ours }
}

const titles = {
  compared: [
    'How long a Python block takes',
    'Median; shorter is better. ×: that many times as long as Fenced.',
  ],
  growing: ['What executors cost their process', 'Shorter is better; flat is what is wanted.'],
} as const

const width = 800
/** Padding on both sides, for wider fonts. */
const margin = 16
const barsLeft = 112
const barsWidth = 550
const barHeight = 16
const barStep = 22

/** An SVG of the tasks in a report: a group of bars each, as long as the longest of the group lets them be. */
export function chart(report: Report): string {
  const groups = groupsOf(report.rows)
  if (groups.length === 0)
    throw new Error('There is nothing to draw: `warm`, `kubernetes` and `kubernetes-scale` have charts.')
  const isCompared = groups.some(({ bars }) => bars.some(({ factor }) => factor !== undefined))
  const [title, explanation] = titles[isCompared ? 'compared' : 'growing']
  const parts = [
    text({ x: 0, y: 20, style: 'title' }, title),
    text({ x: 0, y: 41, style: 'muted' }, explanation),
  ]
  let y = 78
  for (const group of groups) {
    parts.push(text({ x: 0, y, style: 'task' }, group.title))
    if (group.rounds !== undefined)
      parts.push(text({ x: width, y, style: 'muted end' }, `n = ${group.rounds}`))
    y += 10
    for (const bar of group.bars) {
      parts.push(...barParts(bar, group, y))
      y += barStep
    }
    y += 30
  }
  for (const line of [...wrapped(takenWith(report)), ...wrapped(takenOn(report))]) {
    parts.push(text({ x: 0, y, style: 'small muted' }, line))
    y += 17
  }
  const height = y - 9
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-margin} 0 ${width + 2 * margin} ${height}" width="${width + 2 * margin}" height="${height}" role="img">`,
    `<title>${escaped(summary(title, groups))}</title>`,
    `<style>${style}</style>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

function barParts({ name, kind, p50, factor }: Bar, { unit, bars }: Group, top: number): readonly string[] {
  const longest = Math.max(...bars.map((bar) => bar.p50))
  const length = Math.max(2, Math.round((barsWidth * p50) / longest))
  const y = top + barHeight - 4
  const figure = `<tspan class="figure">${written(p50)} ${unit}</tspan>`
  const times =
    factor === undefined ? '' : `<tspan class="muted" dx="8">${factor.toFixed(factor < 10 ? 1 : 0)}×</tspan>`
  return [
    // Under the bar of Fenced itself.
    text({ x: barsLeft - 10, y, style: `end ${kind}-text` }, name.replace(/^Fenced with /, '')),
    `<rect class="${kind}" x="${barsLeft}" y="${top}" width="${length}" height="${barHeight}" rx="2"/>`,
    `<text class="${kind}-text" x="${barsLeft + length + 8}" y="${y}">${figure}${times}</text>`,
  ]
}

function written(figure: number): string {
  return figure < 1000 ? threeDigits(figure) : Math.round(figure).toLocaleString('en')
}

/** What a screen reader says. */
function summary(title: string, groups: readonly Group[]): string {
  const lines = groups.map(({ title, unit, bars }) => {
    const figures = bars.map(({ name, p50 }) => `${name} ${written(p50)} ${unit}`).join(', ')
    return `${title}: ${figures}.`.replaceAll('`', '')
  })
  return `${title}. ${lines.join(' ')}`
}
