import { randomBytes } from 'node:crypto'
import { mkdir, realpath, rm, stat, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { FencedError } from '../fenced-error.ts'
import { writeConfined } from './confined-write.ts'
import { errorCode, ignoring } from './error-code.ts'
import { listFiles } from './list-files.ts'
import { forgetAtExit, removeAtExit } from './remove-at-exit.ts'
import { type FileListing, FileRefusedError, type WorkDirectory } from './work-directory.ts'

/** Options of {@link HostWorkDirectory}. */
export interface HostWorkDirectoryOptions {
  /**
   * A directory on this machine, resolved once, now; it is made when it is missing and stays at the end.
   * Default: a temporary one with a random name, for this user only, which is removed at the end.
   */
  path?: string | undefined
}

/** A working directory on this machine. */
export class HostWorkDirectory implements WorkDirectory {
  readonly hostPath: string
  readonly path: string
  readonly #temporary: boolean
  #wasOpen = false

  constructor({ path }: HostWorkDirectoryOptions = {}) {
    this.#temporary = path === undefined
    this.hostPath = resolve(path ?? join(tmpdir(), `fenced-${randomBytes(8).toString('hex')}`))
    this.path = this.hostPath
  }

  async open(): Promise<boolean> {
    if (this.#wasOpen && (await isDirectory(this.hostPath))) return true
    const expected = !this.#wasOpen
    try {
      await makeDirectory(this.hostPath, this.#temporary ? 0o700 : 0o777)
    } catch (cause) {
      throw this.#unusable('made', cause)
    }
    this.#wasOpen = true
    if (this.#temporary) removeAtExit(this.hostPath)
    return expected
  }

  async write(name: string, content: string): Promise<string> {
    // The directory itself may be a link: it is the caller's choice. Nothing below it may.
    const parts = name.split('/')
    try {
      await writeConfined(await realpath(this.hostPath), parts, content)
    } catch (cause) {
      throw cause instanceof FileRefusedError ? cause : this.#unusable('written to', cause)
    }
    return join(this.path, ...parts)
  }

  async remove(name: string): Promise<void> {
    const path = join(this.hostPath, name)
    // A program may have made something else of the file, or of the directory.
    await unlink(path).catch(() => rm(path, { recursive: true, force: true }).catch(ignoring('ENOTDIR')))
  }

  async list(): Promise<FileListing | undefined> {
    return listFiles(this.hostPath)
  }

  async close(): Promise<void> {
    if (!this.#temporary || !this.#wasOpen) return
    await rm(this.hostPath, { recursive: true, force: true, maxRetries: 3 })
    forgetAtExit(this.hostPath)
    this.#wasOpen = false
  }

  #unusable(what: string, cause: unknown): FencedError {
    const reason = errorCode(cause) || (cause instanceof Error ? cause.message : String(cause))
    return new FencedError({
      code: 'WORK_DIR_UNUSABLE',
      message: `The working directory ${this.hostPath} could not be ${what} (${reason}). Choose another one, or make room and rights there.`,
      cause,
    })
  }
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}

/** Node's own recursive `mkdir` does not come back where a directory cannot be made in one that exists (/proc). */
async function makeDirectory(path: string, mode: number): Promise<void> {
  if (await isDirectory(path)) return
  const parent = dirname(path)
  if (!(await isDirectory(parent))) await makeDirectory(parent, 0o777)
  // Somebody else may have made it meanwhile.
  await mkdir(path, { mode }).catch(ignoring('EEXIST'))
  if (!(await isDirectory(path))) throw new Error('something else is in its place')
}
