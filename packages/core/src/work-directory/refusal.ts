import { errorCode } from './error-code.ts'
import { FileRefusedError } from './work-directory.ts'

/** @param parts - what is in the way: a name below the working directory, or the beginning of one. */
export function refusal(parts: readonly string[], why: string): FileRefusedError {
  return new FileRefusedError(`"${parts.join('/')}" in the working directory ${why}.`)
}

/** The same error, or a refusal of the name where the disk is not to blame. */
export function blame(error: unknown, parts: readonly string[]): unknown {
  const code = errorCode(error)
  if (namesFault.has(code)) return refusal(parts, `has a name that cannot be used on this machine (${code})`)
  if (parts.length === 1 || !programsFault.has(code)) return error
  return refusal(parts, `could not be written (${code}): a program removed or locked a directory above it`)
}

/** What a program can bring about below the root while we write, unlike a full disk. */
const programsFault = new Set(['ENOENT', 'EISDIR', 'EACCES', 'EPERM'])

/** Names that this file system does not take (open(2)). */
const namesFault = new Set(['ENAMETOOLONG', 'EINVAL', 'EILSEQ'])
