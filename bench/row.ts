import type { Spread } from './spread.ts'

/** One line of the table. */
export interface Row {
  readonly measured: string
  /** What was done by whom, where several did the same: the chart draws such rows as one group of bars. */
  readonly task?: { readonly name: string; readonly ours: string; readonly reference: string }
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
