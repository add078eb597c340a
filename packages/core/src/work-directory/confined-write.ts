import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode, ignoring } from './error-code.ts'
import { FileRefusedError } from './work-directory.ts'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

/**
 * Writes a file below `root` without ever following a link below it, whatever an earlier program put there and
 * whatever a running one does meanwhile. Directories above the file are made. An existing file is replaced as a
 * whole, so that a hard link to a file outside is cut and not written through.
 *
 * @param root - absolute path of a directory.
 * @param parts - names below it, none of them `.` or `..`.
 * @throws {@link FileRefusedError} when a link, a file or a directory is in the way.
 */
export async function writeConfined(root: string, parts: readonly string[], content: string): Promise<void> {
  try {
    await write(root, parts, content)
  } catch (error) {
    const why = `could not be written (${errorCode(error)}): a program removed or locked a directory above it`
    throw parts.length > 1 && isDoneByProgram(error) ? refusal(parts, why) : error
  }
}

async function write(root: string, parts: readonly string[], content: string): Promise<void> {
  const name = parts.at(-1) ?? ''
  await using directory = await openDirectory(root, parts.slice(0, -1))
  // Most often there is nothing yet: then this is all.
  if (await writeNew(directory.entry(name), content)) return
  await refuseUnlessFile(directory.entry(name), parts)
  const temporary = directory.entry(`.fenced-${randomBytes(6).toString('hex')}.tmp`)
  await writeNew(temporary, content)
  try {
    await rename(temporary, directory.entry(name))
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
}

/** Writes a file that must not be there yet, not even as a link; `false` when something is. */
async function writeNew(path: string, content: string): Promise<boolean> {
  const file = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666).catch(ignoring('EEXIST'))
  if (file === undefined) return false
  try {
    await file.writeFile(content)
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
  return true
}

/** A directory that stays the same one even when its path is made to point elsewhere. */
interface OpenDirectory extends AsyncDisposable {
  /** A path for the entry of this name. */
  entry(name: string): string
}

async function openDirectory(root: string, parts: readonly string[]): Promise<OpenDirectory> {
  let directory = await openOne(root, root)
  for (const [index, part] of parts.entries()) {
    const parent = directory
    const path = parent.entry(part)
    try {
      await mkdir(path).catch(ignoring('EEXIST'))
      directory = await openOne(path, join(root, ...parts.slice(0, index + 1)))
    } catch (error) {
      throw isRefusal(error)
        ? refusal(parts.slice(0, index + 1), 'is a link or a file, not a directory')
        : error
    } finally {
      await parent[Symbol.asyncDispose]()
    }
  }
  return directory
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

async function refuseUnlessFile(path: string, parts: readonly string[]): Promise<void> {
  const entry = await lstat(path).catch(ignoring('ENOENT'))
  if (entry?.isSymbolicLink()) throw refusal(parts, 'is a link')
  if (entry?.isDirectory()) throw refusal(parts, 'is a directory')
}

function refusal(parts: readonly string[], why: string): FileRefusedError {
  return new FileRefusedError(`"${parts.join('/')}" in the working directory ${why}.`)
}

/** open(2): a link with O_NOFOLLOW gives ELOOP, or ENOTDIR together with O_DIRECTORY. */
function isRefusal(error: unknown): boolean {
  return ['ELOOP', 'ENOTDIR'].includes(errorCode(error))
}

/** What a program can bring about below the root while we write, unlike a full disk. */
function isDoneByProgram(error: unknown): boolean {
  return ['ENOENT', 'EISDIR', 'EACCES', 'EPERM'].includes(errorCode(error))
}
