import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { bareProcess } from '../bare-process.ts'
import { beside } from '../beside.ts'
import { compare } from '../compare.ts'
import { programOutput } from '../program-output.ts'
import type { Row } from '../row.ts'
import { scratchDirectory } from '../scratch-directory.ts'
import { threeDigits } from '../three-digits.ts'

const block = { language: 'python', code: 'print(1)\n' }
const goalMs = 3.5

/** The shortest block, through both kinds of executor and as a bare spawn. */
export async function startsRows(options: LocalExecutorOptions, rounds: number): Promise<Row[]> {
  await using cold = new LocalCommandLineCodeExecutor(options)
  await using warm = new LocalCommandLineCodeExecutor({ ...options, warm: true })
  await using scratch = await scratchDirectory()
  const interpreter = await programOutput(cold, { ...block, code: 'import sys; print(sys.executable)' })
  const file = join(scratch.path, 'program.py')
  await writeFile(file, block.code)
  const times = await compare({
    rounds,
    warmUpRounds: 10,
    contenders: {
      warm: () => warm.execute([block]),
      cold: () => cold.execute([block]),
      spawned: () => bareProcess(interpreter, [file]),
    },
  })
  const { p50, p95 } = times.warm
  return [
    ...beside({
      measured: 'warm: Python `print(1)` ÷ bare spawn',
      ours: times.warm,
      reference: times.spawned,
      goal: 0.2,
    }),
    ...beside({ measured: 'warm: Python `print(1)` ÷ cold', ours: times.warm, reference: times.cold }),
    {
      measured: 'warm: Python `print(1)`',
      unit: 'ms',
      ours: { p50, p95 },
      goal: `≤ ${goalMs} ms`,
      met: p50 <= goalMs,
      note: `${threeDigits(1000 / p50)} blocks per second, one after the other`,
    },
  ]
}
