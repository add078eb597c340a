import type { Bench } from './arguments.ts'
import { memoryRow } from './warm/memory.ts'
import { preloadRows } from './warm/preload.ts'
import { severalRows } from './warm/several.ts'
import { startsRows } from './warm/starts.ts'

/** Python blocks as forks of one interpreter that stays, beside an interpreter for each. */
export const warmBench: Bench = async ({ rounds, python }) => {
  const options = python === undefined ? {} : { python }
  return [
    ...(await startsRows(options, rounds ?? 200)),
    ...(await preloadRows(options, rounds ?? 10)),
    ...(await severalRows(options, rounds ?? 5)),
    ...(await memoryRow(options)),
  ]
}
