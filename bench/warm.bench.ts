import type { Bench } from './arguments.ts'
import { rowsUnlessSkipped } from './skipped.ts'
import { bubblewrapRows } from './warm/bubblewrap.ts'
import { dockerRows } from './warm/docker.ts'
import { freshRows } from './warm/fresh.ts'
import { memoryRow } from './warm/memory.ts'
import { preloadRows } from './warm/preload.ts'
import { severalRows } from './warm/several.ts'
import { startsRows } from './warm/starts.ts'

/** Python blocks as forks of one interpreter that stays, beside an interpreter for each, AutoGen and AG2. */
export const warmBench: Bench = async ({ rounds, python, image, autogen, ag2 }) => {
  const options = python === undefined ? {} : { python }
  const pythons = { autogen, ag2 }
  if (autogen === undefined || ag2 === undefined) console.error('--peers compares with AutoGen and AG2.')
  return [
    ...(await startsRows(options, pythons, rounds ?? 200)),
    ...(await freshRows(options, pythons, rounds ?? 200)),
    ...(await rowsUnlessSkipped('warm in bubblewrap', () => bubblewrapRows(options, rounds ?? 200))),
    ...(await rowsUnlessSkipped('warm in Docker', () => dockerRows(image, pythons, rounds ?? 60))),
    ...(await rowsUnlessSkipped('warm with imports', () => preloadRows(options, pythons, rounds ?? 15))),
    ...(await severalRows(options, pythons, rounds ?? 10)),
    ...(await rowsUnlessSkipped('memory of a warm executor', () => memoryRow(options))),
  ]
}
