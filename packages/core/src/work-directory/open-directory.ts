import { closeSync, constants, lstatSync, mkdirSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { inheritOwner } from './owner.ts'
import { FileRefusedError } from './work-directory.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

/** A directory that stays the same one even when its path is made to point elsewhere. */
export interface OpenDirectory extends Disposable {
  /** A path for the entry of this name. */
  entry(name: string): string
  /** The path at which it is now, without links. */
  currentPath(): string
}

/**
 * Opens a directory below `root` without ever following a link.
 *
 * @param root - the real path of a directory: a link that was put there, or above it, since then is refused.
 * @param parts - names below the root, none of them `.` or `..`.
 * @param make - whether directories that are missing are made.
 * @throws FileRefusedError when a link or a file is in the way.
 */
export function openDirectory(
  root: string,
  parts: readonly string[],
  { make }: { make: boolean },
): OpenDirectory {
  let directory = openRoot(root)
  for (const [index, part] of parts.entries()) {
    const parent = directory
    const path = parent.entry(part)
    try {
      const realPath = join(root, ...parts.slice(0, index + 1))
      directory = make ? openOrMake(parent, part, realPath) : openOne(path, realPath)
    } catch (error) {
      throw isInTheWay(error)
        ? refusal(parts.slice(0, index + 1), 'is a link or a file, not a directory')
        : error
    } finally {
      parent[Symbol.dispose]()
    }
  }
  return directory
}

/**
 * Opens a directory by its real path.
 *
 * @throws ENOTDIR where a link is in its place, or in the place of a directory above it.
 */
export function openRoot(root: string): OpenDirectory {
  const directory = openOne(root, root)
  if (directory.currentPath() === root) return directory
  directory[Symbol.dispose]()
  throw Object.assign(new Error(`A link leads from ${root} to another directory.`), { code: 'ENOTDIR' })
}

function openOrMake(parent: OpenDirectory, name: string, realPath: string): OpenDirectory {
  const path = parent.entry(name)
  const found = ignoring('ENOENT', () => openOne(path, realPath))
  if (found !== undefined) return found
  const isOurs = ignoring('EEXIST', () => mkdirSync(path) === undefined) === true
  const made = openOne(path, realPath)
  if (isOurs) inheritOwner(parent.entry('.'), made.entry('.'))
  return made
}

/**
 * Node has no `openat`. On Linux an open directory has a path below /proc (proc(5)), which does the
 * same; elsewhere the check and the use are two steps.
 */
export function openOne(path: string, realPath: string): OpenDirectory {
  if (process.platform !== 'linux') {
    if (!lstatSync(path).isDirectory()) throw Object.assign(new Error(path), { code: 'ENOTDIR' })
    return {
      entry: (name) => join(realPath, name),
      currentPath: () => realpathSync.native(realPath),
      [Symbol.dispose]: () => {},
    }
  }
  const descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return {
    entry: (name) => `/proc/self/fd/${descriptor}/${name}`,
    currentPath: () => readlinkSync(`/proc/self/fd/${descriptor}`),
    [Symbol.dispose]: () => closeSync(descriptor),
  }
}

/** open(2): a link with O_NOFOLLOW gives ELOOP, or ENOTDIR together with O_DIRECTORY. */
function isInTheWay(error: unknown): boolean {
  return ['ELOOP', 'ENOTDIR'].includes(errorCode(error))
}

/** open(2): a descriptor that names an entry and needs no right to read it. Linux; Node does not know the number. */
export const O_PATH = 0o10000000

/** @param parts - what is in the way: a name below the working directory, or the beginning of one. */
export function refusal(parts: readonly string[], why: string, systemCode?: string): FileRefusedError {
  const path = parts.join('/')
  const data = { path, ...(systemCode === undefined ? {} : { systemCode }) }
  return new FileRefusedError(`"${path}" in the working directory ${why}.`, data)
}

/** The same error, or a refusal of the name where the disk is not to blame. */
export function namedError(error: unknown, parts: readonly string[]): unknown {
  const code = errorCode(error)
  if (namesFault.has(code))
    return refusal(parts, `has a name that cannot be used on this machine (${code})`, code)
  if (parts.length === 1 || !programsFault.has(code)) return error
  return refusal(
    parts,
    `could not be written (${code}): a program removed or locked a directory above it`,
    code,
  )
}

/** Errors that a program can cause below the root during a write, unlike a full disk. */
const programsFault = new Set(['ENOENT', 'EISDIR', 'EACCES', 'EPERM'])

/** Names that this file system does not take (open(2)). */
const namesFault = new Set(['ENAMETOOLONG', 'EINVAL', 'EILSEQ'])

/** The code of a system error (`ENOENT`), also where Node made it in another realm than ours; empty for every other value. */
export function errorCode(error: unknown): string {
  return String(Object(error).code ?? '')
}

/** Returns the result of `work`, or `undefined` when it throws an error with this code. */
export function ignoring<Value>(code: string, work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    if (errorCode(error) !== code) throw error
    return undefined
  }
}
