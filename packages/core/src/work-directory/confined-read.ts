import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { errorCode } from './error-code.ts'
import { openDirectory } from './open-directory.ts'
import { FileRefusedError } from './work-directory.ts'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/**
 * Opens a regular file below `root` without following a link below it. `undefined` when there is none, or none that
 * may be read.
 */
export async function openConfined(root: string, parts: readonly string[]): Promise<FileHandle | undefined> {
  try {
    using directory = openDirectory(root, parts.slice(0, -1), { make: false })
    // A pipe would keep us waiting for a writer.
    const file = await open(directory.entry(parts.at(-1) ?? ''), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if ((await file.stat()).isFile()) return file
    await file.close()
    return undefined
  } catch (error) {
    if (error instanceof FileRefusedError || isNotThere.has(errorCode(error))) return undefined
    throw error
  }
}

const isNotThere = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES', 'EPERM'])
