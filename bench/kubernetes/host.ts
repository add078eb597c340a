// Starts executors of pods, runs blocks in some of them, and prints the resources that this process used, as JSON. Arguments: the
// kubeconfig, the number of executors, the number of them that run blocks, and the number of blocks.
import { setTimeout as delay } from 'node:timers/promises'
import { KubernetesCommandLineCodeExecutor } from '@fenced/executor-kubernetes'
import type { HostFigures } from '../kubernetes-scale.bench.ts'

const [kubeconfig = '', ...numbers] = process.argv.slice(2)
const [count = 1, activeCount = 1, blockCount = 100] = numbers.map(Number)

const startsAtATime = 8
/** Idle connections are closed after a minute. */
const untilIdleMs = Number(process.env.FENCED_BENCH_IDLE_MS ?? 65_000)
const idleSeconds = 10
const block = { language: 'python', code: 'print(1)' }

// What is loaded once is not counted.
await using first = executorOf(true)
await first.execute([block])
await first.stop()
const before = memoryBytes()
const executors = Array.from({ length: count }, (_, index) => executorOf(index < activeCount))
const active = executors.slice(0, activeCount)

const startCpuMs = (await cpuMsOf(() => eachOf(executors, (executor) => executor.start()))) / count
// So that each has its Python, and all is compiled that is going to be.
await eachOf(active, async (executor) => {
  for (let round = 0; round < 20; round++) await executor.execute([block])
})
const timesMs: number[] = []
const blockCpuMs = (await cpuMsOf(runBlocks)) / blockCount
await delay(untilIdleMs)
const idleBytes = memoryBytes() - before
const idleCpuMs = (await cpuMsOf(() => delay(idleSeconds * 1_000))) / idleSeconds
const figures: HostFigures = { startCpuMs, blockCpuMs, timesMs, idleBytes, idleCpuMs }
await eachOf(executors, (executor) => executor.stop())
console.log(JSON.stringify(figures))

async function runBlocks(): Promise<void> {
  let left = blockCount
  await Promise.all(
    active.map(async (executor) => {
      while (left-- > 0) {
        const at = performance.now()
        const { status, output } = await executor.execute([block])
        if (status !== 'ok') throw new Error(`A block ended with ${status}: ${output}`)
        timesMs.push(performance.now() - at)
      }
    }),
  )
}

function executorOf(isActive: boolean): KubernetesCommandLineCodeExecutor {
  return new KubernetesCommandLineCodeExecutor({
    cluster: { kubeconfig },
    network: 'open',
    warm: isActive && {},
  })
}

async function eachOf<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
  const waiting = [...items]
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: startsAtATime }, work))
}

function memoryBytes(): number {
  for (let round = 0; round < 3; round++) globalThis.gc?.()
  return process.memoryUsage.rss()
}

/** Of all threads. */
async function cpuMsOf(act: () => Promise<unknown>): Promise<number> {
  const since = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}
