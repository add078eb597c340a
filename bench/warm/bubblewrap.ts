import { FencedError } from '@fenced/core'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { compare } from '../compare.ts'
import type { Row } from '../row.ts'
import { Skipped } from '../skipped.ts'
import { interpreterOf } from './interpreter.ts'
import { runProgram, shortProgram } from './program.ts'
import { coldName, taskRows, warmName } from './task.ts'

/** The shortest block in bubblewrap. */
export async function bubblewrapRows(options: LocalExecutorOptions, rounds: number): Promise<Row[]> {
  const isolated = { ...options, isolation: 'bubblewrap' } as const
  await using cold = new LocalCommandLineCodeExecutor({ ...isolated, warm: false })
  await using warm = new LocalCommandLineCodeExecutor(isolated)
  try {
    await cold.start()
  } catch (error) {
    if (FencedError.isInstance(error) && error.code === 'ISOLATION_UNAVAILABLE')
      throw new Skipped(error.message)
    throw error
  }
  const { version } = await interpreterOf(cold)
  const times = await compare<string>({
    rounds,
    warmUpRounds: 10,
    contenders: {
      [warmName]: () => runProgram(warm, shortProgram),
      [coldName]: () => runProgram(cold, shortProgram),
    },
  })
  return taskRows({ task: '`print(1)` in bubblewrap', times, versions: { Python: version } })
}
