import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { compare } from '../compare.ts'
import type { Row } from '../row.ts'
import { interpreterOf } from './interpreter.ts'
import { type PeerPythons, Peers } from './peers.ts'
import { runProgram, shortProgram } from './program.ts'
import { coldName, taskRows, warmName } from './task.ts'

const executorCount = 8
const blocksEach = 10

/** Executors that all have something to do at the same time. */
export async function severalRows(
  options: LocalExecutorOptions,
  pythons: PeerPythons,
  rounds: number,
): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const make = (warm: boolean) =>
    Array.from({ length: executorCount }, () =>
      stack.use(new LocalCommandLineCodeExecutor({ ...options, warm })),
    )
  const [warm, cold] = [make(true), make(false)]
  const interpreter = await interpreterOf(stack.use(new LocalCommandLineCodeExecutor(options)))
  await using peers = await Peers.open(pythons, interpreter, executorCount)
  const times = await compare<string>({
    rounds,
    warmUpRounds: 1,
    contenders: {
      [warmName]: () => runAll(warm),
      [coldName]: () => runAll(cold),
      ...peers.contenders(shortProgram, blocksEach),
    },
  })
  return taskRows({
    task: `\`print(1)\` ${blocksEach} times in each of ${executorCount} executors at once`,
    blocks: executorCount * blocksEach,
    times,
    goals: { AutoGen: 1 / 8, AG2: 1 / 8 },
    versions: { Python: interpreter.version, ...peers.versions },
  })
}

async function runAll(executors: readonly LocalCommandLineCodeExecutor[]): Promise<void> {
  await Promise.all(executors.map((executor) => runProgram(executor, shortProgram, blocksEach)))
}
