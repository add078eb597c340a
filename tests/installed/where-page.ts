import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { places } from './where-it-runs.ts'
import { recorded } from './where-ran.ts'

const path = join(import.meta.dirname, '../../docs/where-it-runs.md')

/** The page in `docs`. */
export const writtenPage = () => readFileSync(path, 'utf8')

/** The page with the table of the tests between its two marks. */
export function page(): string {
  const [before, rest] = partsAt(writtenPage(), '<!-- places -->\n')
  const [, after] = partsAt(rest, '\n<!-- end of places -->')
  return `${before}<!-- places -->\n${table()}\n<!-- end of places -->${after}`
}

function table(): string {
  const runs = recorded()
  const rows = places.map(({ name, group, result = 'runs', notRun }) => {
    const { version, date } = runs[name] ?? { version: '-', date: '-' }
    const reason = notRun ?? (name in runs ? undefined : 'no recorded run')
    return `| ${group} | ${name} | ${version} | ${date} | ${reason === undefined ? result : `not run: ${reason}`} |`
  })
  return [
    '| kind | place | version | recorded run | result |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

function partsAt(text: string, mark: string): readonly [string, string] {
  const start = text.indexOf(mark)
  if (start === -1) throw new Error(`${path} has no line "${mark.trim()}".`)
  return [text.slice(0, start), text.slice(start + mark.length)]
}

if (process.argv.includes('--write')) writeFileSync(path, page())
