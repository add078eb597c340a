import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { programOutput } from '../program-output.ts'
import type { Row } from '../row.ts'
import { Skipped } from '../skipped.ts'

const goalMiB = 10

/** Until the next fork is ready, which waits for a block and counts, too. */
const pauseMs = 500

/** What one more warm executor takes, with the pages that it shares counted in shares (PSS). */
export async function memoryRow(options: LocalExecutorOptions): Promise<Row[]> {
  await using first = new LocalCommandLineCodeExecutor({ ...options, warm: true })
  await using second = new LocalCommandLineCodeExecutor({ ...options, warm: true })
  await runnerOf(first)
  const runner = await runnerOf(second)
  await delay(pauseMs)
  const mebibytes = treeOf(runner).reduce((sum, process) => sum + proportionalSize(process), 0)
  return [
    {
      measured: 'warm: memory of one more executor (PSS)',
      unit: 'MiB',
      rounds: 1,
      ours: { p50: mebibytes },
      goal: `≤ ${goalMiB} MiB`,
      met: mebibytes <= goalMiB,
    },
  ]
}

async function runnerOf(executor: LocalCommandLineCodeExecutor): Promise<string> {
  return programOutput(executor, { language: 'python', code: 'import os; print(os.getppid())' })
}

/** A process and those below it. */
function treeOf(process: string): readonly string[] {
  const children = read(`/proc/${process}/task/${process}/children`).split(' ').filter(Boolean)
  return [process, ...children.flatMap(treeOf)]
}

function proportionalSize(process: string): number {
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${process}/smaps_rollup`))?.[1]
  return Number(kibibytes) / 1024
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (cause) {
    throw new Skipped(`${file} cannot be read. Only Linux tells what a runner takes, and only root.`, {
      cause,
    })
  }
}
