import type { BigIntStats } from 'node:fs'
import { type FoundEntry, TimeSlices, versionOf, walk } from './walk.ts'
import type { FileListing, ListedFile } from './work-directory.ts'

/** Beyond this, looking before and after every block would cost more than running it. */
const maxEntries = 10_000

/**
 * Directories that tools make beside a program, and that are not among the program's own files. A copy of a working
 * directory leaves them out: tools recreate them, and hooks in `.git` would run.
 */
export const ignoredDirectories: ReadonlySet<string> = new Set([
  '__pycache__',
  '.git',
  'node_modules',
  '.venv',
  '.ipynb_checkpoints',
])

/** The regular files below `root`, without following links; `undefined` when there are too many. */
export async function listFiles(root: string): Promise<FileListing | undefined> {
  const files = new Map<string, ListedFile>()
  const unlisted = new Map<string, string>()
  const turns = new TimeSlices()
  let entryCount = 0
  for await (const entries of walk(root, ignoredDirectories, (path, version) =>
    unlisted.set(path, version),
  )) {
    entryCount += entries.length
    if (entryCount > maxEntries) return undefined
    for (const found of entries) {
      if (turns.isOver) await turns.next()
      if (found.entry.isFile()) addFile(files, found)
    }
  }
  return Object.assign(files, { unlisted })
}

function addFile(files: Map<string, ListedFile>, { path, stat: look }: FoundEntry): void {
  const stat = look()
  if (stat?.isFile() !== true) return
  const setsId = (stat.mode & 0o6000n) === 0n ? {} : { setsId: true as const }
  files.set(path, { sizeBytes: Number(stat.size), version: versionOf(stat), ...setsId })
}

interface Dated {
  /** The permission bits. */
  readonly mode: number
  readonly modifiedMs: number
}

/** A regular file, as a copy of it needs it. */
interface TreeFile extends ListedFile, Dated {
  readonly kind: 'file'
}

interface TreeDirectory extends Dated {
  readonly kind: 'directory'
}

export type TreeEntry = TreeFile | TreeDirectory

/** By relative path, a directory before what is in it. */
export type DirectoryTree = ReadonlyMap<string, TreeEntry>

/**
 * All regular files and directories below `root`, without following links.
 *
 * @param ignored - names of directories that are left out.
 */
export async function readTree(root: string, ignored: ReadonlySet<string>): Promise<DirectoryTree> {
  const tree = new Map<string, TreeEntry>()
  const turns = new TimeSlices()
  for await (const entries of walk(root, ignored)) {
    for (const { path, entry, stat } of entries) {
      if (turns.isOver) await turns.next()
      if (entry.isDirectory() ? ignored.has(entry.name) : !entry.isFile()) continue
      const found = treeEntry(stat())
      if (found !== undefined) tree.set(path, found)
    }
  }
  return tree
}

/** Converts metadata to an entry; `undefined` for anything but a regular file or a directory. */
export function treeEntry(stat: BigIntStats | undefined): TreeEntry | undefined {
  if (stat === undefined) return undefined
  const dated = { mode: Number(stat.mode) & 0o777, modifiedMs: Number(stat.mtimeMs) }
  if (stat.isDirectory()) return { kind: 'directory', ...dated }
  if (!stat.isFile()) return undefined
  return { kind: 'file', ...dated, sizeBytes: Number(stat.size), version: versionOf(stat) }
}
