import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { cp, lstat, mkdir, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import type { Notice } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type { SandboxPreparation } from '@fenced/core/sandbox'
import { lockDirectory } from '@fenced/host'
import { filesThatName, moveNames, type NamedIn } from './own-path.ts'

/** To be raised when something else of a preparation is kept. */
const recipe = 2

/** What a preparation is done for. */
export interface PreparationTarget {
  /** The working directory, which this process has made ready; no process of the sandbox runs. */
  readonly directory: string
  /** The name of its sandbox. */
  readonly sandbox: string
  /** Runs the preparation, and ends the processes that it started. */
  work(): Promise<void>
}

/** The description of kept files. */
interface Record {
  /** Where they were written. */
  readonly directory: string
  readonly named: NamedIn
  /** Hash of what was kept. */
  readonly listing: string
}

/**
 * Copies the files of a preparation into a working directory: files that any earlier process kept, or else the files that the work writes
 * now, which are kept then. Existing entries of the directory stay unchanged.
 *
 * Only the working directory is kept, and only where it was empty before. Its own path, in text and in links, is changed to that
 * of the directory into which the files are brought; where a program has it in its code they are not kept. Kept files that are
 * damaged are removed and prepared again. Where nothing can be kept the work is done each time.
 */
export async function restorePrepared(
  target: PreparationTarget,
  { identity }: SandboxPreparation,
  context: StartContext,
): Promise<void> {
  const hash = createHash('sha256')
    .update(JSON.stringify([recipe, target.sandbox, identity]))
    .digest('hex')
  const kept = join(cacheFolder(), hash.slice(0, 32))
  // Most of the time it is there.
  if (await restore(kept, target.directory)) return
  await using lock = await lockKept(kept, context)
  if (await restore(kept, target.directory)) return
  const isEmpty = (await readdir(target.directory)).length === 0
  await target.work()
  if (!isEmpty || lock === undefined) return
  const named = await filesThatName(target.directory)
  if (named.unmovable.length > 0) return
  await keep(kept, { directory: target.directory, named }).catch((error: unknown) =>
    context.notice(cannotKeep(error)),
  )
}

/** `undefined` where the folder cannot be written. */
async function lockKept(
  kept: string,
  { signal, notice }: StartContext,
): Promise<AsyncDisposable | undefined> {
  try {
    return await lockDirectory(kept, { signal, onNotice: notice })
  } catch (error) {
    signal.throwIfAborted()
    notice(cannotKeep(error))
    return undefined
  }
}

function cannotKeep(error: unknown): Notice {
  const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message
  const path = cacheFolder()
  return {
    code: 'preparation-not-kept',
    message: `The prepared files cannot be saved in ${path} (${reason}). Each start prepares them again. Make the directory writable, or set XDG_CACHE_HOME to a writable directory.`,
    data: { path, reason },
  }
}

function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fenced', 'prepared')
}

/** Replaces damaged files. Everything appears at once. */
async function keep(kept: string, { directory, named }: Omit<Record, 'listing'>): Promise<void> {
  const unfinished = `${kept}.${randomUUID()}`
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    const files = join(unfinished, 'files')
    await copy(directory, files)
    const record: Record = { directory, named, listing: await hashOfListing(files) }
    await writeFile(join(unfinished, 'record.json'), JSON.stringify(record))
    await rm(kept, { recursive: true, force: true })
    await rename(unfinished, kept)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Whether the files were there, and whole. Where not, the directory is as it was before. */
async function restore(kept: string, directory: string): Promise<boolean> {
  const record = await readWhole(kept)
  if (record === undefined) return false
  const files = join(kept, 'files')
  const there = new Set(await readdir(directory))
  const isBrought = (path: string) => !there.has(path.split('/', 1)[0] ?? '')
  const brought: string[] = []
  try {
    for (const entry of (await readdir(files)).filter(isBrought)) {
      brought.push(join(directory, entry))
      await copy(join(files, entry), join(directory, entry))
    }
  } catch (error) {
    for (const path of brought) await rm(path, { recursive: true, force: true })
    // Another process can remove them meanwhile.
    if ((await readWhole(kept)) === undefined) return false
    throw error
  }
  const { directory: from, named } = record
  const [texts, links] = [named.texts.filter(isBrought), named.links.filter(isBrought)]
  await moveNames(directory, { from, texts, links })
  return true
}

/** Returns `undefined` for missing or damaged files: programs that clean caches remove single files. */
async function readWhole(kept: string): Promise<Record | undefined> {
  try {
    const record: Record = JSON.parse(await readFile(join(kept, 'record.json'), 'utf8'))
    return record.listing === (await hashOfListing(join(kept, 'files'))) ? record : undefined
  } catch {
    return undefined
  }
}

/** Keeps links as links. Skips other kinds of entries, such as sockets. */
async function copy(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
    filter: async (path) => {
      const stat = await lstat(path)
      return stat.isFile() || stat.isDirectory() || stat.isSymbolicLink()
    },
  })
}

/** Hash of the names below a directory, the sizes of files and the targets of links. Differs where a file was lost or cut. */
async function hashOfListing(directory: string): Promise<string> {
  const lines: string[] = []
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const content = entry.isFile()
      ? (await lstat(path)).size
      : entry.isSymbolicLink()
        ? await readlink(path)
        : 'directory'
    lines.push(JSON.stringify([relative(directory, path), content]))
  }
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex')
}
