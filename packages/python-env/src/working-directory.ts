import { resolve } from 'node:path'
import { parseOptions } from '@fenced/core/driver'
import { TemporaryDirectory } from '@fenced/core/internal'
import { z } from 'zod'

/**
 * Where programs run and find their files. It is passed to what needs it: nothing looks for a current one, and the
 * directory of this process stays what it is.
 */
export class WorkingDirectory implements AsyncDisposable {
  /** Absolute: what was given is resolved once, now. */
  readonly path: string
  readonly #temporary: TemporaryDirectory | undefined

  /**
   * A directory that stays. It is made by the first who uses it.
   *
   * @throws FencedError `INVALID_OPTIONS`.
   */
  constructor(path: string) {
    this.path = resolve(parseOptions(z.string().min(1), path, 'WorkingDirectory'))
    this.#temporary = temporary.get(this.path)
    temporary.delete(this.path)
  }

  /** A new directory for this user only, which {@link remove} (or `await using`) takes away. */
  static createTmp(): WorkingDirectory {
    const directory = TemporaryDirectory.make()
    temporary.set(directory.path, directory)
    return new WorkingDirectory(directory.path)
  }

  /** Whether it goes with {@link remove}, or with this process. */
  get isTemporary(): boolean {
    return this.#temporary !== undefined
  }

  /** Removes it if it is a temporary one. Calling it again does nothing. */
  async remove(): Promise<void> {
    await this.#temporary?.remove()
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

/** What {@link WorkingDirectory.createTmp} has made and is about to wrap, by path. */
const temporary = new Map<string, TemporaryDirectory>()
