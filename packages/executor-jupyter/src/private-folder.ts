import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'
import { TemporaryDirectory } from '@fenced/core/internal'

/** A temporary folder that only this user can read. It is removed by `remove`, or when this process ends. */
export class PrivateFolder {
  readonly #directory: TemporaryDirectory

  private constructor(directory: TemporaryDirectory) {
    this.#directory = directory
  }

  /** @throws FencedError `TEMP_DIR_UNUSABLE`. */
  static async create(): Promise<PrivateFolder> {
    return new PrivateFolder(await usable(async () => TemporaryDirectory.make()))
  }

  get path(): string {
    return this.#directory.path
  }

  /**
   * Writes a file that only this user can read, and returns its path.
   *
   * @throws FencedError `TEMP_DIR_UNUSABLE`.
   */
  async write(name: string, text: string): Promise<string> {
    const path = join(this.path, name)
    await usable(() => writeFile(path, text, { mode: 0o600 }))
    return path
  }

  async remove(): Promise<void> {
    await this.#directory.remove()
  }
}

export function unusable(reason: string, cause?: unknown): FencedError {
  return new FencedError({
    code: 'TEMP_DIR_UNUSABLE',
    message: `The directory for temporary files, ${tmpdir()}, cannot be used: ${reason}. Free some space, or set TMPDIR to another directory.`,
    data: { path: tmpdir(), ...(cause === undefined ? {} : { reason }) },
    cause,
  })
}

async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw unusable((cause as Error).message, cause)
  }
}
