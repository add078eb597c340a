import { tmpdir } from 'node:os'
import { FencedError } from '@fenced/core'

/** Does something in the directory for temporary files. @throws FencedError `TEMP_DIR_UNUSABLE`. */
export async function inTemporaryFiles<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw unusable((cause as Error).message, cause)
  }
}

export function unusable(reason: string, cause?: unknown): FencedError {
  return new FencedError({
    code: 'TEMP_DIR_UNUSABLE',
    message: `The directory for temporary files, ${tmpdir()}, cannot be used: ${reason}. Free some space, or set TMPDIR to another directory.`,
    data: { path: tmpdir(), ...(cause === undefined ? {} : { reason }) },
    cause,
  })
}
