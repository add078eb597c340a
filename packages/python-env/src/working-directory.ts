import { resolve } from 'node:path'
import { parseOptions } from '@fenced/core/driver'
import { TemporaryDirectory } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'

/**
 * A directory in which programs run and find their files. It is always passed explicitly: there is no implicit current directory,
 * and this process's working directory does not change.
 */
export class WorkingDirectory implements AsyncDisposable {
  /** Absolute path, resolved in the constructor. */
  readonly path: string
  readonly #temporary: TemporaryDirectory | undefined

  /**
   * References an existing or future directory that is kept. The directory is created on first use.
   *
   * @throws FencedError `INVALID_OPTIONS`.
   */
  constructor(path: string) {
    this.path = resolve(parseOptions(z.string().min(1), path, 'WorkingDirectory'))
    this.#temporary = temporary.get(this.path)
    temporary.delete(this.path)
  }

  /** Creates a private temporary directory, which {@link remove} (or `await using`) deletes. */
  static createTmp(): WorkingDirectory {
    const directory = TemporaryDirectory.make()
    temporary.set(directory.path, directory)
    return new WorkingDirectory(directory.path)
  }

  /** Whether {@link remove}, or the end of this process, deletes the directory. */
  get isTemporary(): boolean {
    return this.#temporary !== undefined
  }

  /** Deletes a temporary directory. Idempotent. */
  async remove(): Promise<void> {
    await this.#temporary?.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove()
  }
}

/** A {@link WorkingDirectory}, or its path. A relative path is resolved at once. */
export const workingDirectorySchema = z
  .union([z.instanceof(WorkingDirectory), z.string().min(1)], {
    error: 'must be a WorkingDirectory, or a path',
  })
  .transform((given) => (typeof given === 'string' ? new WorkingDirectory(given) : given))

/** Directories that {@link WorkingDirectory.createTmp} has created and not yet wrapped, by path. */
const temporary = new Map<string, TemporaryDirectory>()
