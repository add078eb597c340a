import { randomBytes } from 'node:crypto'
import { closeSync, constants, fchmodSync, fstatSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { ignoring } from './open-directory.ts'
import { writableThrough } from './writable-directories.ts'

/** Asked each time, because a host can change its user. `undefined` on Windows. */
const userId = () => process.geteuid?.()

/**
 * The path of a new entry below the directory that holds all temporary files of this user. That directory is private, so no other
 * user reaches an entry, even if a program changes the permissions of its working directory.
 */
export function temporaryPath(name: string): string {
  return join(parentIn(folderForTemporaryFiles()), name)
}

/**
 * Makes sure that the directory above a {@link temporaryPath} exists and is private.
 *
 * @throws the error of the system; an error if another user owns the directory, or sandboxed programs could replace it.
 */
export function makeTemporaryParent(path: string): void {
  const parent = dirname(path)
  const writable = writableThrough(path)
  if (writable !== undefined) throw new Error(`sandboxed programs can write to ${writable}`)
  ignoring('EEXIST', () => mkdirSync(parent, { mode: 0o700 }))
  if (userId() === undefined) return
  const descriptor = openSync(parent, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    const { uid, mode } = fstatSync(descriptor)
    if (uid !== userId()) throw new Error(`${parent} belongs to another user`)
    if ((mode & 0o777) !== 0o700) fchmodSync(descriptor, 0o700)
  } finally {
    closeSync(descriptor)
  }
}

/** A {@link temporaryPath} whose parent exists. @throws as {@link makeTemporaryParent}. */
export function usableTemporaryPath(name: string): string {
  const path = temporaryPath(name)
  makeTemporaryParent(path)
  return path
}

/** The absolute path of `TMPDIR`, unless sandboxed programs could exchange directories there: it can lie in a working directory. */
function folderForTemporaryFiles(): string {
  const usual = resolve(tmpdir())
  if (userId() === undefined) return usual
  const isSafe = (folder: string) => writableThrough(join(folder, 'any')) === undefined
  return [usual, '/tmp', '/var/tmp'].find(isSafe) ?? usual
}

/** One name for all processes of this user, so that each finds the leftovers of the others. */
function parentIn(folder: string): string {
  const usual = join(folder, `fenced-${userId() ?? 'user'}`)
  // If `TMPDIR` names a file, making the directory fails with an error that names it.
  const stat = ignoring('ENOTDIR', () => lstatSync(usual, { throwIfNoEntry: false }))
  const isOurs = stat === undefined || (stat.isDirectory() && stat.uid === (userId() ?? stat.uid))
  return isOurs ? usual : `${usual}-${nameOfThisProcess}`
}

/** Where another user has taken the usual name. */
const nameOfThisProcess = randomBytes(8).toString('hex')
