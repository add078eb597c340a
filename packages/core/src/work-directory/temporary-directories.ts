import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onExit } from 'signal-exit'
import { formatOwner, thisOwner } from '../process-owner.ts'
import { recordOf, removeLeftoverDirectories } from './leftover-directories.ts'
import { removeTree, removeTreeNow } from './remove-tree.ts'

const directories = new Set<string>()
let stopListening = () => {}
let hasSwept = false

/** How long this process may be held up for one directory, in milliseconds. */
const longestMs = 5_000

/** The path of a temporary directory that is not there yet. */
export function newTemporaryPath(): string {
  return join(tmpdir(), `fenced-${randomBytes(8).toString('hex')}`)
}

/**
 * Makes a temporary directory end with this process: it is removed when the process exits or dies by a signal that can
 * be caught, and after any other end by the next process that makes one. To be called before the directory is made.
 *
 * The first call of a process removes, in the background, what earlier ones left.
 */
export function claimTemporaryDirectory(path: string): void {
  // One listener for all. It does not change how the process ends: a handler of the host's own keeps its say.
  if (directories.size === 0) stopListening = onExit(removeAll)
  directories.add(path)
  try {
    writeFileSync(recordOf(path), formatOwner(thisOwner()), { flag: 'wx', mode: 0o600 })
  } catch {
    // It is there from an earlier time, or nothing can be written, which the directory shows as well.
  }
  if (hasSwept) return
  hasSwept = true
  removeLeftoverDirectories(tmpdir()).catch(() => {})
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

  /** @throws what the system answers where none can be made. */
  static make(): TemporaryDirectory {
    const path = newTemporaryPath()
    claimTemporaryDirectory(path)
    try {
      mkdirSync(path, { mode: 0o700 })
    } catch (error) {
      releaseTemporaryDirectory(path)
      throw error
    }
    return new TemporaryDirectory(path)
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
