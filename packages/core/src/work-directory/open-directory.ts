import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, ignoring } from './error-code.ts'
import { refusal } from './refusal.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/** A directory that stays the same one even when its path is made to point elsewhere. */
export interface OpenDirectory extends AsyncDisposable {
  /** A path for the entry of this name. */
  entry(name: string): string
}

/**
 * Opens a directory below `root` without ever following a link below it.
 *
 * @param parts - names below the root, none of them `.` or `..`.
 * @param make - whether directories that are missing are made.
 * @throws FileRefusedError when a link or a file is in the way.
 */
export async function openDirectory(
  root: string,
  parts: readonly string[],
  { make }: { make: boolean },
): Promise<OpenDirectory> {
  let directory = await openOne(root, root)
  for (const [index, part] of parts.entries()) {
    const parent = directory
    const path = parent.entry(part)
    try {
      const realPath = join(root, ...parts.slice(0, index + 1))
      directory = await (make ? openOrMake(path, realPath) : openOne(path, realPath))
    } catch (error) {
      throw isInTheWay(error)
        ? refusal(parts.slice(0, index + 1), 'is a link or a file, not a directory')
        : error
    } finally {
      await parent[Symbol.asyncDispose]()
    }
  }
  return directory
}

async function openOrMake(path: string, realPath: string): Promise<OpenDirectory> {
  const found = await openOne(path, realPath).catch(ignoring('ENOENT'))
  if (found !== undefined) return found
  await mkdir(path).catch(ignoring('EEXIST'))
  return openOne(path, realPath)
}

/**
 * Node has no `openat`. On Linux an open directory has a path of its own below /proc (proc(5)), which does the
 * same; elsewhere the check and the use are two steps.
 */
async function openOne(path: string, realPath: string): Promise<OpenDirectory> {
  if (process.platform !== 'linux') {
    if (!(await lstat(path)).isDirectory()) throw Object.assign(new Error(path), { code: 'ENOTDIR' })
    return { entry: (name) => join(realPath, name), [Symbol.asyncDispose]: async () => {} }
  }
  const handle: FileHandle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return {
    entry: (name) => `/proc/self/fd/${handle.fd}/${name}`,
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/** open(2): a link with O_NOFOLLOW gives ELOOP, or ENOTDIR together with O_DIRECTORY. */
function isInTheWay(error: unknown): boolean {
  return ['ELOOP', 'ENOTDIR'].includes(errorCode(error))
}
