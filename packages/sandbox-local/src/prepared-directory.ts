import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { cp, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { StartContext } from '@fenced/core/driver'
import type { SandboxPreparation } from '@fenced/core/sandbox'
import { lockDirectory } from '@fenced/host'
import { filesThatName, moveNames, type NamedIn } from './own-path.ts'

/** To be raised when something else of a preparation is kept. */
const recipe = 1

/** What a preparation is done for. */
export interface PreparationTarget {
  /** The working directory, which this process has made ready; no process of the sandbox runs. */
  readonly directory: string
  /** The name of its sandbox. */
  readonly sandbox: string
  /** Does the work of the preparation, and ends what it has started. */
  work(): Promise<void>
}

/** What stands beside the files. */
interface Record {
  /** Where they were written. */
  readonly directory: string
  readonly named: NamedIn
}

/**
 * Brings the files of a preparation into a working directory: those that were kept by whatever process, or what the work writes there
 * now, which is kept then. What stands in the directory already stays as it is.
 *
 * Only the working directory is kept, and only where it was empty before. Its own path, in text and in links, is changed to that
 * of the directory into which the files are brought; where a program has it in its code they are not kept.
 */
export async function bringPrepared(
  target: PreparationTarget,
  { identity }: SandboxPreparation,
  { signal, notice }: StartContext,
): Promise<void> {
  const hash = createHash('sha256')
    .update(JSON.stringify([recipe, target.sandbox, identity]))
    .digest('hex')
  const kept = join(cacheFolder(), hash.slice(0, 32))
  // Most of the time it is there.
  if (await bring(kept, target.directory)) return
  await using _lock = await lockDirectory(kept, { signal, onNotice: notice })
  if (await bring(kept, target.directory)) return
  const isEmpty = (await readdir(target.directory)).length === 0
  await target.work()
  if (!isEmpty) return
  const named = await filesThatName(target.directory)
  if (named.unmovable.length === 0) await keep(kept, { directory: target.directory, named })
}

function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fenced', 'prepared')
}

/** Everything appears at once. */
async function keep(kept: string, record: Record): Promise<void> {
  const unfinished = `${kept}.${randomUUID()}`
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o700 })
    await copy(record.directory, join(unfinished, 'files'))
    await writeFile(join(unfinished, 'record.json'), JSON.stringify(record))
    await rename(unfinished, kept)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Whether it was there. */
async function bring(kept: string, directory: string): Promise<boolean> {
  const text = await readFile(join(kept, 'record.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return false
  const { directory: before, named }: Record = JSON.parse(text)
  const files = join(kept, 'files')
  const there = new Set(await readdir(directory))
  const isBrought = (path: string) => !there.has(path.split('/', 1)[0] ?? '')
  for (const entry of await readdir(files)) {
    if (isBrought(entry)) await copy(join(files, entry), join(directory, entry))
  }
  await moveNames(directory, {
    from: before,
    texts: named.texts.filter(isBrought),
    links: named.links.filter(isBrought),
  })
  return true
}

/** Links are links, and what is no file, such as a socket, is left out. */
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
