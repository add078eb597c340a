import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseOptions } from '@fenced/core'
import { z } from 'zod'

/**
 * Where programs run and find their files. It is passed to whoever needs it: nothing looks for a current one, and the
 * directory of this process stays what it is.
 */
export class WorkingDirectory implements AsyncDisposable {
  /** Absolute: what was given is resolved once, now. */
  readonly path: string
  /** Whether it goes with {@link remove}. */
  readonly isTemporary: boolean

  /**
   * A directory that stays. It is made by the first who uses it.
   *
   * @throws FencedError `INVALID_OPTIONS`.
   */
  constructor(path: string) {
    this.path = resolve(parseOptions(z.string().min(1), path, 'WorkingDirectory'))
    this.isTemporary = temporary.delete(this.path)
  }

  /** A new directory for this user only, which {@link remove} (or `await using`) takes away. */
  static createTmp(): WorkingDirectory {
    const path = join(tmpdir(), `fenced-${randomBytes(8).toString('hex')}`)
    mkdirSync(path, { mode: 0o700 })
    temporary.add(path)
    return new WorkingDirectory(path)
  }

  /** Removes it if it is a temporary one. Calling it again does nothing. */
  async remove(): Promise<void> {
    if (this.isTemporary) await rm(this.path, { recursive: true, force: true, maxRetries: 3 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove()
  }
}

/** A {@link WorkingDirectory}, or the path of one. A relative path means what it means now. */
export const workingDirectorySchema = z
  .union([z.instanceof(WorkingDirectory), z.string().min(1)], {
    error: 'must be a WorkingDirectory, or a path',
  })
  .transform((given) => (typeof given === 'string' ? new WorkingDirectory(given) : given))

/** Paths that {@link WorkingDirectory.createTmp} has made and is about to wrap. */
const temporary = new Set<string>()
