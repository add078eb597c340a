import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { VenvPythonEnvironment, type VenvPythonEnvironmentOptions } from '@fenced/python-env'
import { beside } from '../beside.ts'
import { type Contender, compare } from '../compare.ts'
import type { Row } from '../row.ts'
import { scratchDirectory } from '../scratch-directory.ts'
import type { Ag2Environment } from './ag2-environment.ts'
import { packages, type Wheels } from './wheels.ts'

export interface CreationOptions {
  readonly rounds: number
  readonly wheels: Wheels
  readonly ag2: Ag2Environment | undefined
}

/** Until a new environment is ready: with uv, with pip, and AG2's, which has no packages. */
export async function creationRows({ rounds, wheels, ag2 }: CreationOptions): Promise<Row[]> {
  await using scratch = await scratchDirectory()
  const hasUv = spawnSync('uv', ['--version']).status === 0
  if (!hasUv) console.error('Without uv, which is not on the PATH.')
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
