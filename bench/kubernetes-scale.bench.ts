import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Bench } from './measure.ts'
import { type Row, Skipped, spreadOf } from './measure.ts'

/** How many executors one process has. */
const sizes = [1, 10, 100, 1_000]
/** How many of them run blocks: each has a Python in its pod. */
const mostActive = 8
const goals = { blockCpuMs: 5, idleMiB: 256 } as const

/** What `kubernetes/host.ts` prints. */
export interface HostFigures {
  readonly startCpuMs: number
  readonly blockCpuMs: number
  readonly timesMs: readonly number[]
  /** By how much the process grew until nothing was done any more, in bytes. */
  readonly idleBytes: number
  /** Processor time in a second in which nothing is done. */
  readonly idleCpuMs: number
}

/** What an executor costs the process that has it, as they become more, on a cluster that is simulated on this machine. */
export const kubernetesScaleBench: Bench = async ({ rounds = 200 }) => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new Skipped('its pods are namespaces of this machine, which takes root on Linux.')
  const rows: Row[] = []
  for (const count of sizes) {
    await using cluster = await startCluster()
    rows.push(...rowsOf(count, await measure(cluster.kubeconfig, count, rounds)))
  }
  return rows
}

async function measure(kubeconfig: string, count: number, blocks: number): Promise<HostFigures> {
  const host = fileURLToPath(import.meta.resolve('./kubernetes/host.ts'))
  const numbers = [count, Math.min(count, mostActive), blocks].map(String)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--conditions=@fenced/source', host, kubeconfig, ...numbers],
    { maxBuffer: 2 ** 24, timeout: 1_800_000 },
  )
  return JSON.parse(stdout) as HostFigures
}

/** The simulated cluster, in a separate process that is not measured. */
async function startCluster(): Promise<AsyncDisposable & { readonly kubeconfig: string }> {
  const program = fileURLToPath(import.meta.resolve('./kubernetes/simulated-cluster.ts'))
  const child = spawn(process.execPath, ['--conditions=@fenced/source', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const { value, done } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  if (done) throw new Error('The simulated cluster did not start; what it said is above.')
  return {
    kubeconfig: value,
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}

function rowsOf(count: number, figures: HostFigures): Row[] {
  const { startCpuMs, blockCpuMs, timesMs, idleBytes, idleCpuMs } = figures
  const name = `${count.toLocaleString('en')} ${count === 1 ? 'executor' : 'executors'}`
  const idleMiB = idleBytes / 2 ** 20
  return [
    {
      measured: `${name}: processor time of a warm block`,
      task: { name: 'Processor time of a warm block', ours: name },
      unit: 'ms',
      rounds: timesMs.length,
      ours: { p50: blockCpuMs },
      goal: `≤ ${goals.blockCpuMs} ms`,
      met: blockCpuMs <= goals.blockCpuMs,
      note: `${(1_000 / blockCpuMs).toFixed(0)} blocks a second of a core`,
    },
    { measured: `${name}: a warm block`, unit: 'ms', rounds: timesMs.length, ours: spreadOf(timesMs) },
    {
      measured: `${name}: processor time of a start`,
      task: { name: 'Processor time of a start', ours: name },
      unit: 'ms',
      rounds: count,
      ours: { p50: startCpuMs },
    },
    {
      measured: `${name}: memory when idle`,
      task: { name: 'Memory of the process when all are idle', ours: name },
      unit: 'MiB',
      rounds: 1,
      ours: { p50: idleMiB },
      ...(count < 1_000 ? {} : { goal: `< ${goals.idleMiB} MiB`, met: idleMiB < goals.idleMiB }),
      note: `${((idleMiB * 1_024) / count).toFixed(0)} KiB each; ${idleCpuMs.toFixed(1)} ms of processor time a second`,
    },
  ]
}
