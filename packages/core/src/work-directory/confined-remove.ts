import { rmdirSync, unlinkSync } from 'node:fs'
import { errorCode } from './error-code.ts'
import { type OpenDirectory, openDirectory } from './open-directory.ts'
import { FileRefusedError } from './work-directory.ts'

/**
 * Removes a file below `root`, never through a link. One that is not there is removed.
 *
 * @returns `false` when a directory is in its place: while code may run there, nothing is removed but what we made.
 */
export function removeConfined(root: string, parts: readonly string[]): boolean {
  using parent = openParent(root, parts)
  if (parent === undefined) return true
  try {
    unlinkSync(parent.entry(parts.at(-1) ?? ''))
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return true
    // EPERM: POSIX.
    if (code === 'EISDIR' || code === 'EPERM') return false
    throw error
  }
}

/** Removes a directory below `root` if it is empty. */
export function removeEmptyDirectoryConfined(root: string, parts: readonly string[]): void {
  using parent = openParent(root, parts)
  if (parent === undefined) return
  try {
    rmdirSync(parent.entry(parts.at(-1) ?? ''))
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error))) throw error
  }
}

/** `undefined` when there is none, and so nothing to remove. */
function openParent(root: string, parts: readonly string[]): OpenDirectory | undefined {
  try {
    return openDirectory(root, parts.slice(0, -1), { make: false })
  } catch (error) {
    const isGone = error instanceof FileRefusedError || ['ENOENT', 'ENOTDIR'].includes(errorCode(error))
    if (!isGone) throw error
    return undefined
  }
}
