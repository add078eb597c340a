import { type Bar, type Group, groupsOf } from './chart/groups.ts'
import { style } from './chart/style.ts'
import { escaped, text, wrapped } from './chart/text.ts'
import { type Report, takenOn, takenWith } from './report.ts'
import { threeDigits } from './three-digits.ts'

const width = 800
/** On both sides, for fonts that are wider than the one that it was drawn with. */
const margin = 16
const barsLeft = 112
const barsWidth = 550
const barHeight = 16
const barStep = 22

/** An SVG of the tasks in a report: a group of bars each, as long as the longest of the group lets them be. */
export function chart(report: Report): string {
  const groups = groupsOf(report.rows)
  if (groups.length === 0) throw new Error('There is nothing to draw: of all benches, `warm` has a chart.')
  const parts = [
    text({ x: 0, y: 20, style: 'title' }, 'How long a Python block takes'),
    text(
      { x: 0, y: 41, style: 'muted' },
      'Median; shorter is better. ×: that many times as long as Fenced, warm.',
    ),
  ]
  let y = 78
  for (const group of groups) {
    parts.push(
      text({ x: 0, y, style: 'task' }, group.title),
      text({ x: width, y, style: 'muted end' }, `n = ${group.rounds}`),
    )
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
    `<title>${escaped(summary(groups))}</title>`,
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
    text({ x: barsLeft - 10, y, style: `end ${kind}-text` }, name),
    `<rect class="${kind}" x="${barsLeft}" y="${top}" width="${length}" height="${barHeight}" rx="2"/>`,
    `<text class="${kind}-text" x="${barsLeft + length + 8}" y="${y}">${figure}${times}</text>`,
  ]
}

function written(figure: number): string {
  return figure < 1000 ? threeDigits(figure) : Math.round(figure).toLocaleString('en')
}

/** What a screen reader says. */
function summary(groups: readonly Group[]): string {
  const lines = groups.map(({ title, unit, bars }) => {
    const figures = bars.map(({ name, p50 }) => `${name} ${written(p50)} ${unit}`).join(', ')
    return `${title}: ${figures}.`.replaceAll('`', '')
  })
  return `How long a Python block takes. ${lines.join(' ')}`
}
