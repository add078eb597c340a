import { differenceOf, type Measured } from './compare.ts'
import type { Row } from './row.ts'
import { threeDigits } from './three-digits.ts'

export interface Beside {
  readonly measured: string
  readonly ours: Measured | undefined
  /** Nothing when it was not to be had: then there is no row. */
  readonly reference: Measured | undefined
  /** The ratio that we want to stay below, or at. */
  readonly goal?: number
  /** By how many milliseconds ours may take longer in the same round. */
  readonly goalMs?: number
}

/** The rows of one thing: ours beside that of somebody else. */
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
      ...(goal === undefined ? {} : { goal: `≤ ${goal}`, met: ratio <= goal }),
      ...(goalMs === undefined ? {} : { goal: `≤ ${goalMs} ms more`, met: difference <= goalMs }),
      note: `${threeDigits(Math.abs(difference))} ms ${difference > 0 ? 'more' : 'less'} in the same round`,
    },
  ]
}
