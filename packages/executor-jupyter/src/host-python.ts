import { FencedError } from '@fenced/core'
import { type Environment, findPython, type NoInterpreter, programEnvironment } from '@fenced/host'
import { raceAbort, raceGrace } from '@fenced/shared'

/** How long an abandoned search may take to end, in milliseconds. */
const lateAnswerMs = 1_500

/** Result of a search. When the signal is aborted, the search gets a short time to end. */
export async function unlessAborted<T>(search: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return search
  const found = await raceAbort(search, signal)
  if (found !== 'aborted') return found as T
  await raceGrace(search, lateAnswerMs).catch(() => {})
  throw signal.reason
}

/**
 * Absolute path of the Python that runs kernels and servers.
 *
 * @throws FencedError `PYTHON_NOT_FOUND`.
 */
export async function findKernelPython(python: string | undefined): Promise<string> {
  const found = await findPython({ python, host: process.env, path: process.env.PATH ?? '' })
  if ('command' in found) return found.command[0]
  throw pythonNotFound(found)
}

export function pythonNotFound({ missing, data = {} }: NoInterpreter): FencedError {
  return new FencedError({ code: 'PYTHON_NOT_FOUND', message: missing, data })
}

/** The environment of a kernel: that of any program, but for a kernel's own way to draw. */
export function kernelEnvironment({
  env,
  inheritEnv,
}: {
  readonly env: Environment
  readonly inheritEnv: boolean
}): Environment {
  const environment = { ...programEnvironment(process.env, { env: {}, inheritEnv }) }
  // A kernel draws into its results when nothing else is said.
  delete environment.MPLBACKEND
  return { ...environment, ...env }
}
