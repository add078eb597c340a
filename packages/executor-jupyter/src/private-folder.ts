import { rmSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FencedError } from '@fenced/core'

const folders = new Set<PrivateFolder>()

/** A temporary folder that only this user can look into. It goes with `remove`, or with this process. */
export class PrivateFolder {
  readonly path: string

  private constructor(path: string) {
    this.path = path
    if (folders.size === 0) process.on('exit', removeAll)
    folders.add(this)
  }

  /** @throws FencedError `TEMP_DIR_UNUSABLE`. */
  static async create(prefix: string): Promise<PrivateFolder> {
    return new PrivateFolder(await usable(mkdtemp(join(tmpdir(), prefix))))
  }

  /**
   * Writes a file that only this user can read, and returns its path.
   *
   * @throws FencedError `TEMP_DIR_UNUSABLE`.
   */
  async write(name: string, text: string): Promise<string> {
    const path = join(this.path, name)
    await usable(writeFile(path, text, { mode: 0o600 }))
    return path
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
    folders.delete(this)
    if (folders.size === 0) process.off('exit', removeAll)
  }
}

export function unusable(reason: string, cause?: unknown): FencedError {
  return new FencedError({
    code: 'TEMP_DIR_UNUSABLE',
    message: `The directory for temporary files, ${tmpdir()}, cannot be used: ${reason}. Make room there, or set TMPDIR to another one.`,
    cause,
  })
}

async function usable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw unusable((cause as Error).message, cause)
  }
}

function removeAll(): void {
  for (const { path } of folders) {
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      // An exit listener that throws would change how the program ends.
    }
  }
}
