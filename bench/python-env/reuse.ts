import { join } from 'node:path'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { VenvPythonEnvironment } from '@fenced/python-env'
import { beside } from '../beside.ts'
import { type Contender, compare } from '../compare.ts'
import type { Row } from '../row.ts'
import { scratchDirectory } from '../scratch-directory.ts'
import type { Ag2Environment } from './ag2-environment.ts'
import { packages, type Wheels } from './wheels.ts'

const code = 'print(1)'
const blocks = [{ language: 'python', code }]

export interface ReuseOptions {
  readonly rounds: number
  readonly wheels: Wheels
  readonly ag2: Ag2Environment | undefined
}

/** From the constructor of an environment that was made before until its first block has ended. */
export async function reuseRows({ rounds, wheels, ag2 }: ReuseOptions): Promise<Row[]> {
  await using scratch = await scratchDirectory()
  const options = { venvPath: join(scratch.path, 'venv'), packages, installEnv: wheels.installEnv }
  const { venvPath: path } = options
  await new VenvPythonEnvironment(options).start()
  const contenders: Record<string, Contender> = {
    ours: async () => {
      const executor = await new VenvPythonEnvironment(options).createExecutor()
      await executor.execute(blocks)
      return executor
    },
    local: async () => {
      const executor = new LocalCommandLineCodeExecutor({ python: path })
      await executor.execute(blocks)
      return executor
    },
    ...(ag2 === undefined ? {} : { theirs: () => ag2.run(path, code) }),
  }
  const { ours, local, theirs } = await compare<string>({ rounds, warmUpRounds: 5, contenders })
  return [
    ...beside({
      measured: 'a venv that is there, to the end of `print(1)` ÷ a local executor with its Python',
      ours,
      reference: local,
      goalMs: 20,
    }),
    ...beside({ measured: 'a venv that is there, to the end of `print(1)` ÷ AG2', ours, reference: theirs }),
  ]
}
