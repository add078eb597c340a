import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, lstat, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { FencedError } from '@fenced/errors'
import { writableThrough } from '../work-directory/writable-directories.ts'
import { DecisionLedger, type DecisionLedgerOptions } from './decision-ledger.ts'
import type { LedgerStep, LedgerStore } from './ledger-store.ts'

const steps: readonly LedgerStep[] = ['asked', 'decided', 'started', 'ended']

/** A file that is not linked to its name yet belongs to a process that writes it, or that ended meanwhile. */
const temporary = '.tmp'
/** Age from which such a file is removed, in milliseconds. */
const abandonedMs = 60 * 60_000

/**
 * Returns a ledger stored in a directory, which several processes on this machine can use at the same time. The directory is
 * created with mode 0700, and each file with 0600. Every step of a decision is a file that is created once and synced, so a
 * process that dies at any point leaves only complete records. No locks are used. Put the directory where programs cannot write.
 *
 * Owner and mode of the directory are checked at each use, and a record that is not a regular file is damaged. Only you and root can
 * delete records. If the record of a start is deleted while there is none of an end, or the record of an answer, the decision can
 * start again.
 *
 * The file system must support hard links and create them exclusively. Local file systems on Linux, macOS and Windows (NTFS) do;
 * FAT and many network file systems do not. Windows has no modes, so the directory inherits the access rights of its parent
 * directory.
 *
 * @param path - Path of the directory.
 * @throws FencedError `INVALID_OPTIONS`. The ledger's methods reject with `LEDGER_UNAVAILABLE` if the directory cannot be used or
 *   its mode lets other users in.
 */
export function fileLedger(path: string, options: Omit<DecisionLedgerOptions, 'store'> = {}): DecisionLedger {
  return new DecisionLedger({ ...options, store: new FileLedgerStore(path) })
}

/** See {@link fileLedger}. The file `ID.STEP` has the entry of a step as JSON. */
export class FileLedgerStore implements LedgerStore {
  readonly #path: string
  #made: Promise<void> | undefined

  constructor(path: string) {
    this.#path = resolve(path)
  }

  async create(
    { id, step }: { readonly id: string; readonly step: LedgerStep },
    entry: object,
  ): Promise<boolean> {
    await this.#open()
    const written = join(this.#path, `${id}.${step}.${randomUUID()}${temporary}`)
    try {
      await writeSynced(written, JSON.stringify(entry))
      // Unlike a file that is created under its final name, a link appears with its content.
      await link(written, join(this.#path, `${id}.${step}`))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw error
    } finally {
      await rm(written, { force: true })
    }
    await syncDirectory(this.#path)
    return true
  }

  async read(id: string): Promise<Partial<Record<LedgerStep, unknown>>> {
    await this.#open()
    const entries: Partial<Record<LedgerStep, unknown>> = {}
    // The last step first: while another process writes, a step that exists has all steps before it.
    for (const step of steps.toReversed()) {
      const text = await readRecord(join(this.#path, `${id}.${step}`)).catch(ignoreMissing)
      if (text !== undefined) entries[step] = JSON.parse(text)
    }
    return entries
  }

  async list(): Promise<string[]> {
    await this.#open()
    const names = await readdir(this.#path)
    await Promise.all(names.filter((name) => name.endsWith(temporary)).map((name) => this.#abandon(name)))
    return [
      ...new Set(
        names.filter((name) => !name.endsWith(temporary)).map((name) => name.split('.')[0] as string),
      ),
    ]
  }

  async remove(id: string): Promise<void> {
    await this.#open()
    for (const step of steps) await rm(join(this.#path, `${id}.${step}`), { force: true })
    await syncDirectory(this.#path)
  }

  async #open(): Promise<void> {
    // Made once: a directory that was removed took its decisions with it.
    this.#made ??= makeDirectory(this.#path).catch((error: unknown) => {
      this.#made = undefined
      throw error
    })
    await this.#made
    await checkDirectory(this.#path)
  }

  async #abandon(name: string): Promise<void> {
    const path = join(this.#path, name)
    const found = await lstat(path).catch(ignoreMissing)
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedMs) await rm(path, { force: true })
  }
}

async function makeDirectory(path: string): Promise<void> {
  const made = await mkdir(path, { recursive: true, mode: 0o700 })
  if (made !== undefined) await syncDirectory(dirname(path))
}

async function checkDirectory(path: string): Promise<void> {
  const { mode, uid } = await stat(path)
  const isPrivate = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0)
  if (!isPrivate) throw refused(path, 'Other users can open it. Remove their rights with `chmod 700`.')
  const directory = writableThrough(join(path, 'entry'))
  if (directory !== undefined)
    throw refused(path, `Programs can write in ${directory}. Keep the ledger outside of working directories.`)
}

function refused(path: string, reason: string): FencedError {
  return new FencedError({
    code: 'LEDGER_UNAVAILABLE',
    message: `The ledger ${path} cannot be used. ${reason}`,
    data: { path, reason },
  })
}

/** Makes new names in a directory durable. Windows has no such call. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Records are shorter, in bytes. */
const longestRecord = 1_048_576

/** Opens without waiting for a writer, as a FIFO would, and without following a link. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** @throws Error for what is not a regular file. */
async function readRecord(path: string): Promise<string> {
  const file = await open(path, openFlags)
  try {
    const found = await file.stat()
    if (!found.isFile() || found.size > longestRecord) throw new Error(`${path} is not a record.`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  throw error
}
