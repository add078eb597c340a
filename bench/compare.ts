import { setTimeout as delay } from 'node:timers/promises'
import { type Spread, spreadOf } from './spread.ts'

/** What it returns is disposed of when the clock has stopped; what took the time itself, elsewhere, tells it. */
export type Contender = () => PromiseLike<unknown> | unknown

/** A time that was taken by somebody else. */
export interface TimedElsewhere {
  readonly tookMs: number
}

export interface CompareOptions<Name extends string> {
  readonly contenders: Readonly<Record<Name, Contender>>
  readonly rounds: number
  /** Rounds before the first one that counts. Default 3. */
  readonly warmUpRounds?: number
  /** A rest after each of them, in milliseconds, so that what it does afterwards is at nobody's cost. Default 0. */
  readonly pauseMs?: number
}

/** How long a contender took, in milliseconds, with the single times in the order of the rounds. */
export interface Measured extends Spread {
  readonly times: readonly number[]
}

/**
 * How long each contender takes. They take turns, so that whatever else the machine does in the meantime hits all of
 * them, and each round begins with another one, so that none always comes after the one that leaves most to clean up.
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
  for (let round = 0; round < warmUpRounds + rounds; round++) {
    const first = round % lanes.length
    for (const { run, times } of [...lanes.slice(first), ...lanes.slice(0, first)]) {
      const time = await timeOf(run)
      if (pauseMs > 0) await delay(pauseMs)
      if (round >= warmUpRounds) times.push(time)
    }
  }
  const measured = lanes.map(({ name, times }) => [name, { ...spreadOf(times), times }])
  return Object.fromEntries(measured) as Record<Name, Measured>
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
