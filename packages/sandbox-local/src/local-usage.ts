import { readFileSync } from 'node:fs'
import type { SandboxUsage } from '@fenced/core'
import { captureOutput, findProcesses, findProgram, type ProcessRoot, stateOf } from '@fenced/host'

/** Length of a clock tick, in which Linux counts processor time for programs, in milliseconds. */
const tickMs = 10

/** Measures the programs and the directory of a sandbox on this machine. Of processes, only Linux knows more than their number. */
export async function localUsage(
  roots: readonly ProcessRoot[],
  directory: string,
  signal: AbortSignal | undefined,
): Promise<SandboxUsage> {
  const diskBytes = await sizeOf(directory, signal)
  return { ...processUsage(roots), ...(diskBytes === undefined ? {} : { diskBytes }) }
}

function processUsage(roots: readonly ProcessRoot[]): SandboxUsage {
  if (process.platform !== 'linux') return {}
  const ids = findProcesses(roots)
  const states = ids.flatMap((id) => stateOf(id) ?? [])
  const ticks = states.map(({ userTicks, systemTicks, childTicks }) => userTicks + systemTicks + childTicks)
  const sizes = ids.map(memoryOf)
  return {
    cpuMs: sum(ticks) * tickMs,
    ...(sizes.includes(undefined) ? {} : { memoryBytes: sum(sizes.map((size = 0) => size)) }),
    processes: states.length,
  }
}

/** Its share of memory: a page of several processes counts for each in part. `undefined` if this user may not know. */
function memoryOf(id: number): number | undefined {
  try {
    const rollup = readFileSync(`/proc/${id}/smaps_rollup`, 'latin1')
    return Number(/^Pss: +(\d+) kB$/m.exec(rollup)?.[1]) * 1_024
  } catch (error) {
    // It has ended.
    return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '') ? 0 : undefined
  }
}

/** `undefined` if not all of the directory can be read. */
async function sizeOf(directory: string, signal: AbortSignal | undefined): Promise<number | undefined> {
  const du = findProgram('du')
  if (du === undefined) return undefined
  const { stdout, exitCode } = await captureOutput([du, '-sk', directory], { env: process.env, signal })
  return exitCode === 0 ? Number.parseInt(stdout, 10) * 1_024 : undefined
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
