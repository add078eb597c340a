import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bench } from './main.ts'
import { type Row, Skipped } from './measure.ts'

interface Measured {
  readonly pageBytes: number
  readonly firstPaintMs: readonly number[]
  readonly inputMs: readonly number[]
  readonly hostGrewBy: number
  readonly missing?: string
}

/** What the page of `@fenced/web` costs: its size, its first picture, and both sides while a program prints without end. */
export const webBench: Bench = async () => {
  const program = join(import.meta.dirname, '../packages/web/test/programs/measure.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@fenced/source',
    '--expose-gc',
    program,
  ])
  const { pageBytes, firstPaintMs, inputMs, hostGrewBy, missing } = JSON.parse(stdout) as Measured
  if (missing !== undefined) throw new Skipped(missing)
  return [
    row('the built page, gzip', 'MiB', [pageBytes / 2 ** 20], { limit: 400_000 / 2 ** 20, words: '400 kB' }),
    row('from the address to the first picture', 'ms', firstPaintMs, { limit: 500, words: '500 ms' }),
    row('a key in the message field while `yes` runs', 'ms', inputMs, { limit: 100, words: '100 ms' }),
    row('the server after 5 s of `yes`', 'MiB', [hostGrewBy / 2 ** 20], { limit: 64, words: '64 MiB' }),
  ]
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
