import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { BenchOptions } from './arguments.ts'

/** Rounds to three digits, and to zero below a ten-thousandth. */
export function threeDigits(figure: number): string {
  if (figure >= 100) return figure.toFixed(0)
  return figure >= 0.1 ? figure.toPrecision(3) : figure.toFixed(4)
}

/** What is typical and what is bad luck. */
export interface Spread {
  readonly p50: number
  readonly p95: number
}

/** The spread of at least one figure. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b)
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) }
}

/** The smallest figure that this share of all figures does not exceed. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** One line of the table. */
export interface Row {
  readonly measured: string
  /** What was done, and by whom: the chart draws the rows of a task as one group of bars. */
  readonly task?: { readonly name: string; readonly ours: string; readonly reference?: string }
  readonly unit: 'ms' | 'MB/s' | 'MiB'
  /** How many times each was measured. */
  readonly rounds: number
  readonly ours: Figures
  /** The same without Fenced, or with what others use. */
  readonly reference?: Figures
  /** Our typical time divided by the reference's: below 1 is faster. */
  readonly ratio?: number
  readonly goal?: string
  readonly met?: boolean
  readonly note?: string
  readonly versions?: Versions
}

/** What took part, by name. */
export type Versions = Readonly<Record<string, string>>

/** In the row's unit. A single figure has no p95. */
export interface Figures {
  readonly p50: number
  readonly p95?: number
}

/** The same times as a throughput: the slow end stays the slow end. */
export function throughput({ p50, p95 }: Spread, bytes: number): Spread {
  const perSecond = (timeMs: number) => bytes / 1e6 / (timeMs / 1e3)
  return { p50: perSecond(p50), p95: perSecond(p95) }
}

/** Measures one round. The result is disposed of after the measurement; a contender that measures elsewhere returns its time. */
export type Contender = () => PromiseLike<unknown> | unknown

/** A time that another process measured. */
export interface TimedElsewhere {
  readonly tookMs: number
}

/** On the clock of `performance.now`. */
let endsAt = Number.POSITIVE_INFINITY
let longestComparisonMs = Number.POSITIVE_INFINITY

/** From now on nothing begins after `total`, and a comparison ends after `comparison`, with one round at least; in milliseconds. */
export function limitTime({
  total,
  comparison,
}: {
  readonly total: number
  readonly comparison: number
}): void {
  endsAt = performance.now() + total
  longestComparisonMs = comparison
}

/** Whether nothing more is to begin. */
export function isTimeOver(): boolean {
  return performance.now() > endsAt
}

export interface CompareOptions<Name extends string> {
  readonly contenders: Readonly<Record<Name, Contender>>
  readonly rounds: number
  /** Warm-up rounds. @default 3 */
  readonly warmUpRounds?: number
  /** Pause after each round, in milliseconds, for work that must not be measured. @default 0 */
  readonly pauseMs?: number
}

/** How long a contender took, in milliseconds, with the single times in the order of the rounds. */
export interface Measured extends Spread {
  readonly times: readonly number[]
}

/**
 * Measures the time of each contender. Contenders take turns, so that other load on the machine affects all of them. Their order
 * changes in each round, so that none always runs after a contender with much cleanup.
 */
export async function compare<Name extends string>(
  options: CompareOptions<Name>,
): Promise<Record<Name, Measured>> {
  const { contenders, rounds, warmUpRounds = 3, pauseMs = 0 } = options
  const lanes = (Object.keys(contenders) as Name[]).map((name) => ({
    name,
    run: contenders[name],
    times: [] as number[],
  }))
  const giveUpAt = performance.now() + longestComparisonMs
  const isLate = () => performance.now() > giveUpAt
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    // The first round always warms up.
    if (round > 0 && round < warmUpRounds && isLate()) round = warmUpRounds
    if (round > warmUpRounds && isLate()) break
    for (const { run, times } of shuffled(lanes)) {
      const time = await timeOf(run)
      if (pauseMs > 0) await delay(pauseMs)
      if (round >= warmUpRounds) times.push(time)
    }
  }
  const measured = lanes.map(({ name, times }) => [name, { ...spreadOf(times), times }])
  return Object.fromEntries(measured) as Record<Name, Measured>
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}

/** By how many milliseconds one typically takes longer than the other in the same round. */
export function differenceOf(one: Measured, other: Measured): number {
  return spreadOf(one.times.map((time, round) => time - (other.times[round] ?? Number.NaN))).p50
}

async function timeOf(run: Contender): Promise<number> {
  const startedAt = performance.now()
  const result = await run()
  const took = performance.now() - startedAt
  if (typeof result !== 'object' || result === null) return took
  if (Symbol.asyncDispose in result) await (result as AsyncDisposable)[Symbol.asyncDispose]()
  return 'tookMs' in result ? (result as TimedElsewhere).tookMs : took
}

export interface Beside {
  readonly measured: string
  readonly ours: Measured | undefined
  /** Absent when it could not be measured: there is no row then. */
  readonly reference: Measured | undefined
  /** The ratio that we want to stay below, or at. */
  readonly goal?: number
  /** By how many milliseconds ours may take longer in the same round. */
  readonly goalMs?: number
}

/** Rows of one measurement: Fenced beside another library. */
export function beside({ measured, ours, reference, goal, goalMs }: Beside): Row[] {
  if (ours === undefined || reference === undefined) return []
  const ratio = ours.p50 / reference.p50
  const difference = differenceOf(ours, reference)
  return [
    {
      measured,
      unit: 'ms',
      rounds: ours.times.length,
      ours: { p50: ours.p50, p95: ours.p95 },
      reference: { p50: reference.p50, p95: reference.p95 },
      ratio,
      ...(goal === undefined ? {} : { goal: `≤ ${threeDigits(goal)}`, met: ratio <= goal }),
      ...(goalMs === undefined ? {} : { goal: `≤ ${goalMs} ms more`, met: difference <= goalMs }),
      note: `${threeDigits(Math.abs(difference))} ms ${difference > 0 ? 'more' : 'less'} in the same round`,
    },
  ]
}

/** Why something could not be measured here: what it needs is not there. */
export class Skipped extends Error {}

/** What could not be measured, although nothing that it needs was missing. */
export const failures: string[] = []

/** Its rows; none where it is skipped or fails, and stderr has the reason. */
export async function rowsIfMeasured(
  name: string,
  measure: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  try {
    if (isTimeOver()) throw new Skipped('The time of --quick is over. Run it without --quick.')
    return await measure()
  } catch (error) {
    if (error instanceof Skipped) console.error(`${name} is skipped: ${error.message}`)
    else {
      failures.push(name)
      console.error(`${name} failed:`, error)
    }
    return []
  }
}

/** The rows of parts that do not need each other. */
export async function rowsOfParts(
  parts: Readonly<Record<string, () => Promise<readonly Row[]>>>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [name, measure] of Object.entries(parts)) rows.push(...(await rowsIfMeasured(name, measure)))
  return rows
}

export interface ScratchDirectory extends AsyncDisposable {
  readonly path: string
}

/** A directory of our own, removed when it is disposed. */
export async function scratchDirectory(): Promise<ScratchDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'fenced-bench-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/**
 * Takes its figures.
 *
 * @throws Skipped when something that it needs is missing.
 */
export type Bench = (options: BenchOptions) => Promise<readonly Row[]>
