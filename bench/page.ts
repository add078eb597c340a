import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
// @boundaries-ignore the counts that a test compares
import { countsOfTables } from '../tests/budgets.ts'
import type { Row } from './measure.ts'
import { cells, machine, takenOn, takenWith } from './table.ts'

const page = join(import.meta.dirname, '../docs/performance.md')

const head = [
  '| measured | n | ours p50 | p95 | beside p50 | p95 | ratio | goal | met |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |',
]

/** Replaces the caption and the table below the mark of a bench in the page, such as `<!-- bench warm -->`. */
export async function writeTable(name: string, rows: readonly Row[]): Promise<void> {
  const text = await readFile(page, 'utf8')
  const mark = `<!-- bench ${name} -->\n`
  const start = text.indexOf(mark)
  if (start === -1) throw new Error(`${page} has no place for the bench ${name}: the line ${mark.trim()}.`)
  const table = text.indexOf('\n| ', start)
  const end = text.indexOf('\n\n', table === -1 ? start : table)
  const lines = rows.map((row) => `| ${cells(row).slice(0, -1).join(' | ')} |`)
  const made = [mark.trim(), '', captionOf(name, rows), '', ...head, ...lines].join('\n')
  await writeFile(page, `${text.slice(0, start)}${made}${text.slice(end)}`)
}

/** With the counts that tell whether the table is still current. */
function captionOf(name: string, rows: readonly Row[]): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const report = { machine, rows }
  const versions = takenWith(report)
  const date = new Date().toISOString().slice(0, 10)
  const conditions = [takenOn(report), versions].filter((part) => part !== '').join(', ')
  const counts = (countsOfTables[name] ?? []).map(([count, what]) => `${count.toLocaleString('en')} ${what}`)
  const then = counts.length === 0 ? '' : ` Counted then: ${counts.join(', ')}.`
  return `Measured on ${date} at commit \`${commit}\`: ${conditions}.${then}`
}
