import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { compare } from '../compare.ts'
import type { Row } from '../row.ts'
import { interpreterOf } from './interpreter.ts'
import { type PeerPythons, Peers } from './peers.ts'
import { runProgram, shortProgram } from './program.ts'
import { coldName, taskRows, warmName } from './task.ts'

/** An executor that is made for one block, of which there are many in a row: its interpreter starts for this block. */
export async function freshRows(
  options: LocalExecutorOptions,
  pythons: PeerPythons,
  rounds: number,
): Promise<Row[]> {
  await using cold = new LocalCommandLineCodeExecutor({ ...options, warm: false })
  const interpreter = await interpreterOf(cold)
  await using peers = await Peers.open(pythons, interpreter)
  const times = await compare<string>({
    rounds,
    warmUpRounds: 3,
    contenders: {
      [warmName]: async () => {
        const executor = new LocalCommandLineCodeExecutor(options)
        await runProgram(executor, shortProgram)
        return executor
      },
      [coldName]: () => runProgram(cold, shortProgram),
      ...peers.freshContenders(shortProgram),
    },
  })
  return taskRows({
    task: 'a new executor and `print(1)` in it',
    times,
    goals: { AutoGen: 1 },
    versions: { Python: interpreter.version, ...peers.versions },
  })
}
