import { FencedError } from '@fenced/core'
import { findPython, type NoInterpreter, raceAbort, raceTimeout } from '@fenced/host'

/** How long a Python that nobody waits for may take to answer, in milliseconds. */
const lateAnswerMs = 1_500

/** What a search comes to. When the signal is aborted before, what was started for it is given a moment to end. */
export async function unlessAborted<T>(search: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return search
  const found = await raceAbort(search, signal)
  if (found !== 'aborted') return found as T
  await raceTimeout(search, lateAnswerMs).catch(() => {})
  throw signal.reason
}

/**
 * The Python whose kernels and servers are used: an absolute path.
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
