import { rm, rmdir, unlink } from 'node:fs/promises'
import { errorCode, ignoring } from './error-code.ts'
import { openDirectory } from './open-directory.ts'
import { FileRefusedError } from './work-directory.ts'

/** Removes a file, or what a program made of it, below `root`; never through a link. One that is not there is removed. */
export async function removeConfined(root: string, parts: readonly string[]): Promise<void> {
  await inParent(root, parts, async (path) => {
    await unlink(path).catch(() => rm(path, { recursive: true, force: true }).catch(ignoring('ENOTDIR')))
  })
}

/** Removes a directory below `root` if it is empty. */
export async function removeEmptyDirectoryConfined(root: string, parts: readonly string[]): Promise<void> {
  await inParent(root, parts, async (path) => {
    await rmdir(path).catch((error) => {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error))) throw error
    })
  })
}

async function inParent(
  root: string,
  parts: readonly string[],
  remove: (path: string) => Promise<void>,
): Promise<void> {
  const parent = await openDirectory(root, parts.slice(0, -1), { make: false }).catch((error) => {
    const isGone = error instanceof FileRefusedError || ['ENOENT', 'ENOTDIR'].includes(errorCode(error))
    if (!isGone) throw error
  })
  if (parent === undefined) return
  try {
    await remove(parent.entry(parts.at(-1) ?? ''))
  } finally {
    await parent[Symbol.asyncDispose]()
  }
}
