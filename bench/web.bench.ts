import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bench } from './measure.ts'
import { type Row, Skipped } from './measure.ts'

interface Measured {
  readonly pageBytes: number
  /** What the first visit loads. */
  readonly firstLoadBytes: number
  readonly firstPaintMs: readonly number[]
  /** Until a conversation of 10,000 events shows its end. */
  readonly openMs: readonly number[]
  readonly yes: Flood
  readonly line: Flood
  readonly scrollMs: readonly number[]
  readonly missing?: string
}

interface Flood {
  /** For each key in the message field, in milliseconds. */
  readonly values: readonly number[]
  /** In bytes. */
  readonly hostGrewBy: number
  readonly pageHeap: number
}

/** What the page of `@fenced/web` costs: its size, its first picture, and both sides while a program prints much. */
export const webBench: Bench = async () => {
  const program = join(import.meta.dirname, '../packages/web/test/programs/measure.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@fenced/source', program])
  const measured = JSON.parse(stdout) as Measured
  const { pageBytes, firstLoadBytes, firstPaintMs, openMs, yes, line, scrollMs, missing } = measured
  if (missing !== undefined) throw new Skipped(missing)
  return [
    row('the built page, gzip', 'MiB', [mebibytes(pageBytes)], { limit: 400_000 / 2 ** 20, words: '400 kB' }),
    row('what the first visit loads, gzip', 'MiB', [mebibytes(firstLoadBytes)], {
      limit: 0.13,
      words: '0.13 MiB',
    }),
    row('from a click to the end of a conversation of 10,000 events', 'ms', openMs, {
      limit: 500,
      words: '500 ms',
    }),
    row('from the address to the first picture', 'ms', firstPaintMs, { limit: 500, words: '500 ms' }),
    ...rowsOf('`yes`', yes),
    ...rowsOf('a line of 100 MB', line),
    row('a picture while 100,000 lines are scrolled through', 'ms', scrollMs, {
      limit: 100,
      words: '100 ms',
    }),
  ]
}

function rowsOf(output: string, { values, hostGrewBy, pageHeap }: Flood): Row[] {
  return [
    row(`a key in the message field, ${output}`, 'ms', values, { limit: 100, words: '100 ms' }),
    row(`by how much the server grows, ${output}`, 'MiB', [mebibytes(hostGrewBy)], {
      limit: 64,
      words: '64 MiB',
    }),
    row(`the memory of the page, ${output}`, 'MiB', [mebibytes(pageHeap)], { limit: 200, words: '200 MiB' }),
  ]
}

function mebibytes(bytes: number): number {
  return bytes / 2 ** 20
}

function row(
  measured: string,
  unit: Row['unit'],
  values: readonly number[],
  { limit, words }: { readonly limit: number; readonly words: string },
): Row {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  const ours = sorted.length === 1 ? { p50: at(0.5) } : { p50: at(0.5), p95: at(0.95) }
  const met = at(0.95) < limit
  return { measured: `web: ${measured}`, unit, rounds: values.length, ours, goal: `< ${words}`, met }
}
