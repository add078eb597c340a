import { execFile, spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { FencedError } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import {
  SystemPythonEnvironment,
  VenvPythonEnvironment,
  type VenvPythonEnvironmentOptions,
} from '@fenced/python-env'
import type { Bench } from './measure.ts'
import {
  beside,
  type Contender,
  compare,
  type Row,
  type ScratchDirectory,
  Skipped,
  scratchDirectory,
  type TimedElsewhere,
} from './measure.ts'
import { PythonDriver } from './processes.ts'

/** The package that the wheels are of. */
export const packages = ['small']

/** Where pip and uv take packages from. */
export interface Wheels extends ScratchDirectory {
  readonly installEnv: Readonly<Record<string, string>>
}

/** An index of our own: no network has a part in what is measured. */
export async function makeWheels(python: string): Promise<Wheels> {
  const scratch = await scratchDirectory()
  const { path } = scratch
  await promisify(execFile)(python, [fileURLToPath(new URL('./peers/make-wheels.py', import.meta.url)), path])
  const installEnv = {
    PIP_NO_INDEX: '1',
    PIP_FIND_LINKS: path,
    UV_NO_INDEX: '1',
    UV_FIND_LINKS: path,
    UV_OFFLINE: '1',
    UV_CACHE_DIR: `${path}/uv-cache`,
  }
  return { ...scratch, installEnv }
}

interface Answer extends TimedElsewhere {
  readonly output: string
}

/** AG2's VenvPythonEnvironment, in a Python process that stays. */
export class Ag2Environment implements AsyncDisposable {
  readonly #driver: PythonDriver

  static async open(python: string): Promise<Ag2Environment> {
    return new Ag2Environment(
      await PythonDriver.open(python, new URL('./peers/ag2-venv.py', import.meta.url)),
    )
  }

  private constructor(driver: PythonDriver) {
    this.#driver = driver
  }

  /** Its constructor, which makes it where nothing is. */
  async create(path: string): Promise<TimedElsewhere & AsyncDisposable> {
    const answer = await this.#driver.ask<Answer>({ do: 'create', path })
    return { ...answer, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
  }

  /** Its constructor, and its `execute_code`. */
  async run(path: string, code: string): Promise<TimedElsewhere> {
    const answer = await this.#driver.ask<Answer>({ do: 'run', path, code })
    if (answer.output === '') throw new Error("AG2's environment printed nothing.")
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver[Symbol.asyncDispose]()
  }
}

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

export interface CreationOptions {
  readonly rounds: number
  readonly wheels: Wheels
  readonly ag2: Ag2Environment | undefined
}

/** Until a new environment is ready: with uv, with pip, and AG2's, which has no packages. */
export async function creationRows({ rounds, wheels, ag2 }: CreationOptions): Promise<Row[]> {
  await using scratch = await scratchDirectory()
  const hasUv = spawnSync('uv', ['--version']).status === 0
  const { installEnv } = wheels
  const contenders: Record<string, Contender> = {
    pip: () => made({ installer: 'pip', installEnv }),
    pipFilled: () => made({ installer: 'pip', installEnv, packages }),
  }
  if (hasUv) {
    contenders.uv = () => made({ installer: 'uv', installEnv })
    contenders.uvFilled = () => made({ installer: 'uv', installEnv, packages })
  }
  if (ag2 !== undefined) contenders.ag2 = () => ag2.create(join(scratch.path, 'ag2'))
  const times = await compare({ rounds, warmUpRounds: 1, contenders })
  return [
    ...beside({ measured: 'an empty venv: with uv ÷ with pip', ours: times.uv, reference: times.pip }),
    ...beside({
      measured: 'a venv with a small package: with uv ÷ with pip',
      ours: times.uvFilled,
      reference: times.pipFilled,
    }),
    ...beside({ measured: 'an empty venv: with uv ÷ AG2', ours: times.uv, reference: times.ag2 }),
    ...beside({ measured: 'an empty venv: with pip ÷ AG2', ours: times.pip, reference: times.ag2 }),
  ]
}

async function made(options: VenvPythonEnvironmentOptions): Promise<VenvPythonEnvironment> {
  const environment = new VenvPythonEnvironment(options)
  await environment.start()
  return environment
}

/** An existing and a new virtual environment, beside a local executor and AG2's environment. */
export const pythonEnvBench: Bench = async ({ rounds, ag2: ag2Python }) => {
  const python = await systemPython()
  await using wheels = await makeWheels(python)
  await using stack = new AsyncDisposableStack()
  const ag2 = ag2Python === undefined ? undefined : stack.use(await Ag2Environment.open(ag2Python))
  return [
    ...(await reuseRows({ rounds: rounds ?? 50, wheels, ag2 })),
    ...(await creationRows({ rounds: Math.min(rounds ?? 5, 5), wheels, ag2 })),
  ]
}

async function systemPython(): Promise<string> {
  try {
    return (await new SystemPythonEnvironment().interpreter()).path
  } catch (error) {
    if (!FencedError.isInstance(error)) throw error
    throw new Skipped(error.message)
  }
}
