import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { opendir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { formatOwner, isOwnerGone, type ProcessOwner, parseOwner, thisOwner } from '@fenced/shared'
import { atProcessEnd } from './process-end.ts'
import { removeTree, removeTreeNow } from './remove-tree.ts'
import { makeTemporaryParent, temporaryPath } from './temporary-parent.ts'

const directories = new Set<string>()
let stopListening = () => {}
let hasSwept = false

/** The longest time for which one directory may block this process, in milliseconds. */
const longestMs = 5_000

/** The path of a temporary directory that is not there yet. */
export function newTemporaryPath(): string {
  return temporaryPath(`fenced-${randomBytes(8).toString('hex')}`)
}

/**
 * Makes a temporary directory end with this process: it is removed when the process exits, or when a signal ends it for which the
 * host has no listener, and after any other end by the next process that makes one. To be called before the directory is made.
 *
 * The first call of a process removes, in the background, what earlier ones left.
 *
 * @throws as {@link makeTemporaryParent}.
 */
export function claimTemporaryDirectory(path: string): void {
  makeTemporaryParent(path)
  if (directories.size === 0) stopListening = atProcessEnd('directories', removeAll)
  directories.add(path)
  try {
    writeFileSync(recordOf(path), formatOwner(thisOwner()), { flag: 'wx', mode: 0o600 })
  } catch {
    // It is there from an earlier time, or nothing can be written, which the directory shows as well.
  }
  if (hasSwept) return
  hasSwept = true
  removeLeftoverDirectories(dirname(path)).catch(() => {})
}

/** The directory is gone. */
export function releaseTemporaryDirectory(path: string): void {
  if (!directories.delete(path)) return
  if (directories.size === 0) stopListening()
  rmSync(recordOf(path), { force: true })
}

function removeAll(): void {
  for (const path of directories) {
    try {
      removeTreeNow(path, { limitMs: longestMs })
      rmSync(recordOf(path), { force: true })
    } catch {
      // An exception here would change how this process ends. The record stays for the next one.
    }
  }
}

/**
 * A temporary directory that only this user can look into, which ends with this process if {@link remove} is not called.
 */
export class TemporaryDirectory implements AsyncDisposable {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  /** A directory with a known path, which exists after {@link open}. */
  static named(): TemporaryDirectory {
    return new TemporaryDirectory(newTemporaryPath())
  }

  /** @throws what the system answers where none can be made. */
  static make(): TemporaryDirectory {
    const directory = TemporaryDirectory.named()
    directory.open()
    return directory
  }

  /**
   * Makes it, also again.
   *
   * @throws what the system answers where it cannot be made.
   */
  open(): void {
    claimTemporaryDirectory(this.path)
    try {
      mkdirSync(this.path, { mode: 0o700 })
    } catch (error) {
      releaseTemporaryDirectory(this.path)
      throw error
    }
  }

  /** Removes it with all that is in it. */
  async remove(): Promise<void> {
    await removeTree(this.path)
    releaseTemporaryDirectory(this.path)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove()
  }
}

/** Time limit for the removal of leftovers, in milliseconds. */
const longestSweepMs = 30_000

/** No record is longer, in bytes. */
const longestRecord = 200

/** The name of a temporary directory. */
export const temporaryName = /^fenced-[0-9a-f]{16}$/

const recordName = /^(fenced-[0-9a-f]{16})\.owner$/

/**
 * The file that names the owner of a temporary directory. It is beside it: code can write into the directory, and its
 * path stays short.
 */
export function recordOf(path: string): string {
  return `${path}.owner`
}

/** Removes the temporary directories in a folder whose owner is gone. What cannot be removed is left to the next time. */
export async function removeLeftoverDirectories(folder: string): Promise<void> {
  const giveUpAt = performance.now() + longestSweepMs
  for await (const { name } of await opendir(folder)) {
    const limitMs = giveUpAt - performance.now()
    if (limitMs < 0) return
    const [, directory] = recordName.exec(name) ?? []
    if (directory !== undefined)
      await removeLeftoverDirectory(join(folder, directory), limitMs).catch(() => {})
  }
}

/**
 * Removes only a temporary directory whose owner is gone: its record and, unless this user is root, the directory itself have to
 * be this user's, and neither may be a link.
 *
 * @throws the first error of the system, when everything else in it that can be removed is removed.
 */
export async function removeLeftoverDirectory(path: string, limitMs = longestSweepMs): Promise<void> {
  const record = recordOf(path)
  if (!recordName.test(basename(record))) return
  const owner = readRecord(record)
  if (owner === undefined || !isOwnerGone(owner)) return
  const stat = lstatSync(path, { throwIfNoEntry: false })
  // Root gives the directory to the user of a container.
  const mayRemove = stat?.isDirectory() && (process.getuid?.() === 0 || isOurs(stat))
  if (stat !== undefined && !mayRemove) return
  if (stat !== undefined) await removeTree(path, { limitMs })
  rmSync(record, { force: true })
}

/** `undefined` when it is no record of this user's. */
function readRecord(path: string): ProcessOwner | undefined {
  // A name in a folder that everybody can write to may be anything, also a pipe.
  const descriptor = openSync(path, constants.O_RDONLY | noFollow | nonBlocking)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || !isOurs(stat) || stat.size > longestRecord) return undefined
    const bytes = Buffer.alloc(longestRecord)
    return parseOwner(bytes.toString('latin1', 0, readSync(descriptor, bytes)))
  } finally {
    closeSync(descriptor)
  }
}

/** Windows has neither, and no links that a user can make without more rights. */
const { O_NOFOLLOW: noFollow = 0, O_NONBLOCK: nonBlocking = 0 } = constants

function isOurs({ uid }: { readonly uid: number }): boolean {
  return uid === (process.getuid?.() ?? uid)
}
