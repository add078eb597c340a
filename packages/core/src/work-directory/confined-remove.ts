import { rmdirSync, unlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { errorCode } from './error-code.ts'
import { type OpenDirectory, openDirectory } from './open-directory.ts'
import { FileRefusedError } from './work-directory.ts'

/** Removes a file, or what a program made of it, below `root`; never through a link. One that is not there is removed. */
export async function removeConfined(root: string, parts: readonly string[]): Promise<void> {
  using parent = openParent(root, parts)
  if (parent === undefined) return
  const path = parent.entry(parts.at(-1) ?? '')
  try {
    unlinkSync(path)
  } catch {
    await removeWhatIsThere(path)
  }
}

async function removeWhatIsThere(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch (error) {
    if (errorCode(error) !== 'ENOTDIR') throw error
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
