import { currentLevel } from './levels.ts'

/** Number of random cases that a property is tried with: few in a usual run, many in the nightly one. */
export function numberOfCases({
  usual,
  nightly,
}: {
  readonly usual: number
  readonly nightly: number
}): number {
  return currentLevel === 'nightly' ? nightly : usual
}
