import { FencedError } from '@fenced/core'
import { SystemPythonEnvironment } from '@fenced/python-env'
import type { Bench } from './arguments.ts'
import { Ag2Environment } from './python-env/ag2-environment.ts'
import { creationRows } from './python-env/creation.ts'
import { reuseRows } from './python-env/reuse.ts'
import { makeWheels } from './python-env/wheels.ts'
import { Skipped } from './skipped.ts'

/** A virtual environment that is used again, and one that is made, beside a local executor and AG2's environment. */
export const pythonEnvBench: Bench = async ({ rounds, ag2: ag2Python }) => {
  const python = await systemPython()
  if (ag2Python === undefined) console.error('Without AG2; --ag2 names a Python that has it.')
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
