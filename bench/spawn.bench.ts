import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CodeBlock } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import type { Bench } from './arguments.ts'
import { bareProcess } from './bare-process.ts'
import { compare, differenceOf } from './compare.ts'
import { programOutput } from './program-output.ts'
import type { Row } from './row.ts'
import { scratchDirectory } from './scratch-directory.ts'

interface Program {
  readonly name: string
  readonly block: CodeBlock
  /** Prints the path of the interpreter that the executor chose. */
  readonly whereIs: string
  readonly rounds: number
  readonly goal?: number
}

const programs: readonly Program[] = [
  {
    name: 'Python `print(1)`',
    block: { language: 'python', code: 'print(1)\n' },
    whereIs: 'import sys; print(sys.executable)',
    rounds: 100,
    goal: 1.15,
  },
  // So short that it shows what the executor adds.
  { name: 'sh `true`', block: { language: 'sh', code: 'true\n' }, whereIs: 'command -v sh', rounds: 300 },
]

/** A block through a started executor, and the same code as a file for a bare spawn of the same interpreter. */
export const spawnBench: Bench = async ({ rounds }) => {
  await using executor = new LocalCommandLineCodeExecutor({ warm: false })
  await using scratch = await scratchDirectory()
  const rows: Row[] = []
  for (const { name, block, whereIs, goal, rounds: ownRounds } of programs) {
    const interpreter = await programOutput(executor, { ...block, code: whereIs })
    const file = join(scratch.path, `program.${block.language}`)
    await writeFile(file, block.code)
    const { executed, spawned } = await compare({
      rounds: rounds ?? ownRounds,
      warmUpRounds: 10,
      contenders: {
        executed: () => executor.execute([block]),
        spawned: () => bareProcess(interpreter, [file]),
      },
    })
    const ratio = executed.p50 / spawned.p50
    rows.push({
      measured: `${name} ÷ bare spawn`,
      unit: 'ms',
      rounds: executed.times.length,
      ours: { p50: executed.p50, p95: executed.p95 },
      reference: { p50: spawned.p50, p95: spawned.p95 },
      ratio,
      ...(goal === undefined ? {} : { goal: `≤ ${goal}`, met: ratio <= goal }),
      note: `${differenceOf(executed, spawned).toFixed(2)} ms more in the same round`,
    })
  }
  return rows
}
