import { readFileSync } from 'node:fs'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { programOutput } from '../program-output.ts'
import type { Row } from '../row.ts'

const goalMiB = 15

/** What one more warm executor takes, with the pages that it shares counted in shares (PSS). */
export async function memoryRow(options: LocalExecutorOptions): Promise<Row[]> {
  await using first = new LocalCommandLineCodeExecutor({ ...options, warm: true })
  await using second = new LocalCommandLineCodeExecutor({ ...options, warm: true })
  await runnerOf(first)
  const runner = await runnerOf(second)
  const mebibytes = proportionalSize(runner)
  if (mebibytes === undefined) {
    console.error('Without the memory of a runner: only root may look into one, and only Linux tells.')
    return []
  }
  return [
    {
      measured: 'warm: memory of one more executor (PSS)',
      unit: 'MiB',
      ours: { p50: mebibytes },
      goal: `≤ ${goalMiB} MiB`,
      met: mebibytes <= goalMiB,
    },
  ]
}

async function runnerOf(executor: LocalCommandLineCodeExecutor): Promise<string> {
  return programOutput(executor, { language: 'python', code: 'import os; print(os.getppid())' })
}

function proportionalSize(process: string): number | undefined {
  try {
    const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process}/smaps_rollup`, 'latin1'))?.[1]
    return kibibytes === undefined ? undefined : Number(kibibytes) / 1024
  } catch {
    return undefined
  }
}
