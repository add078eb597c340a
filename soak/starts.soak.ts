import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Soak } from './row.ts'

/** The part of Vitest's report that counts. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
}

/** Every program of which tests compare a sample, cold and warm. It takes minutes: nothing with `--short`. */
export const startsSoak: Soak = async function* ({ short, executors }) {
  if (short || (executors.length > 0 && !executors.includes('local warm'))) return
  await using directory = await mkdtempDisposable(join(tmpdir(), 'fenced-soak-'))
  const report = join(directory.path, 'report.json')
  const vitest = spawn(
    join(import.meta.dirname, '../node_modules/.bin/vitest'),
    ['run', '--reporter=json', `--outputFile=${report}`, 'test/warm/warm-and-cold'],
    {
      cwd: join(import.meta.dirname, '..'),
      env: { ...process.env, FENCED_TEST_EVERY_PROGRAM: '1' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  await once(vitest, 'exit')
  const { numPassedTests: same, numFailedTests: different }: Report = JSON.parse(
    await readFile(report, 'utf8'),
  )
  yield {
    soak: 'starts',
    tried: 'every program, cold and warm',
    figures: { programs: same + different, different },
    asPromised: same > 0 && different === 0,
    ...(different > 0 && {
      note: 'FENCED_TEST_EVERY_PROGRAM=1 npx -y pnpm test warm-and-cold shows the difference',
    }),
  }
}
