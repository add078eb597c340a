import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { compare } from '../compare.ts'
import type { Row } from '../row.ts'
import { threeDigits } from '../three-digits.ts'

const executorCount = 8
const blocksEach = 10
const block = { language: 'python', code: 'print(1)\n' }

/** Executors that all have something to do at the same time. */
export async function severalRows(options: LocalExecutorOptions, rounds: number): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const make = (warm: boolean) =>
    Array.from({ length: executorCount }, () =>
      stack.use(new LocalCommandLineCodeExecutor({ ...options, warm })),
    )
  const [warm, cold] = [make(true), make(false)]
  const times = await compare({
    rounds,
    warmUpRounds: 1,
    contenders: { warm: () => runAll(warm), cold: () => runAll(cold) },
  })
  const perSecond = (timeMs: number) => threeDigits((executorCount * blocksEach * 1000) / timeMs)
  return [
    {
      measured: `warm: ${executorCount * blocksEach} × \`print(1)\` in ${executorCount} executors at once ÷ cold`,
      unit: 'ms',
      ours: { p50: times.warm.p50, p95: times.warm.p95 },
      reference: { p50: times.cold.p50, p95: times.cold.p95 },
      ratio: times.warm.p50 / times.cold.p50,
      note: `${perSecond(times.warm.p50)} blocks per second, cold ${perSecond(times.cold.p50)}`,
    },
  ]
}

async function runAll(executors: readonly LocalCommandLineCodeExecutor[]): Promise<void> {
  await Promise.all(
    executors.map(async (executor) => {
      for (let round = 0; round < blocksEach; round++) await executor.execute([block])
    }),
  )
}
