import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bench } from './arguments.ts'

const goalMiB = 32

/** By how much a process grows that runs `yes` for three seconds under a limit of 1 MiB. */
export const memoryBench: Bench = async () => {
  const program = join(import.meta.dirname, '../packages/executor-local/test/programs/flood.ts')
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@fenced/source', program])
  const { grewBy, dropped } = JSON.parse(stdout) as { grewBy: number; dropped: number }
  const grewByMiB = grewBy / 2 ** 20
  return [
    {
      measured: 'memory: `yes` for 3 s under a limit of 1 MiB',
      unit: 'MiB',
      rounds: 1,
      ours: { p50: grewByMiB },
      goal: `< ${goalMiB} MiB`,
      met: grewByMiB < goalMiB,
      note: `${(dropped / 1e6).toFixed(0)} MB left out`,
    },
  ]
}
