import { FencedError } from '@fenced/core'
import { findPython } from '@fenced/host'

/**
 * The Python whose kernels and servers are used: an absolute path.
 *
 * @throws FencedError `PYTHON_NOT_FOUND`.
 */
export async function findKernelPython(python: string | undefined): Promise<string> {
  const found = await findPython({ python, host: process.env, path: process.env.PATH ?? '' })
  if ('command' in found) return found.command[0]
  throw new FencedError({ code: 'PYTHON_NOT_FOUND', message: found.missing })
}
