import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import { bareProcess } from '../bare-process.ts'
import { compare } from '../compare.ts'
import type { Row } from '../row.ts'
import { scratchDirectory } from '../scratch-directory.ts'
import { interpreterOf } from './interpreter.ts'
import { type PeerPythons, Peers } from './peers.ts'
import { runProgram, shortProgram } from './program.ts'
import { coldName, taskRows, warmName } from './task.ts'

const spawnName = 'bare spawn'

/** The shortest block in a process on this machine. */
export async function startsRows(
  options: LocalExecutorOptions,
  pythons: PeerPythons,
  rounds: number,
): Promise<Row[]> {
  await using cold = new LocalCommandLineCodeExecutor({ ...options, warm: false })
  await using warm = new LocalCommandLineCodeExecutor(options)
  const interpreter = await interpreterOf(cold)
  await using peers = await Peers.open(pythons, interpreter)
  await using scratch = await scratchDirectory()
  const file = join(scratch.path, 'program.py')
  await writeFile(file, shortProgram.code)
  const times = await compare<string>({
    rounds,
    warmUpRounds: 10,
    contenders: {
      [warmName]: () => runProgram(warm, shortProgram),
      [coldName]: () => runProgram(cold, shortProgram),
      [spawnName]: () => bareProcess(interpreter.python, [file]),
      ...peers.contenders(shortProgram),
    },
  })
  return taskRows({
    task: '`print(1)` in a local process',
    times,
    goalMs: 3.5,
    goals: { [spawnName]: 0.2 },
    versions: { Python: interpreter.version, ...peers.versions },
  })
}
