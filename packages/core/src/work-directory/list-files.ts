import type { BigIntStats } from 'node:fs'
import { type FoundEntry, maxDepth, TimeSlices, versionOf, walk } from './walk.ts'
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
  return list(root, { isWhole: true })
}

/** The regular files among the first {@link maxEntries} entries below `root`, without following links. */
export async function listFirstFiles(root: string): Promise<FileListing> {
  return (await list(root, { isWhole: false })) ?? new Map()
}

async function list(
  root: string,
  { isWhole }: { readonly isWhole: boolean },
): Promise<FileListing | undefined> {
  const files = new Map<string, ListedFile>()
  const unlisted = new Map<string, string>()
  const turns = new TimeSlices()
  let entryCount = 0
  for await (const entries of walk(root, ignoredDirectories, (path, version) =>
    unlisted.set(path, version),
  )) {
    const room = maxEntries - entryCount
    const isCut = entries.length > room
    if (isCut && isWhole) return undefined
    entryCount += entries.length
    for (const found of isCut ? entries.slice(0, room) : entries) {
      if (turns.isOver) await turns.next()
      if (!found.entry.isDirectory()) addFile(files, unlisted, found)
    }
    if (isCut) return Object.assign(files, { unlisted, isCut })
  }
  return Object.assign(files, { unlisted })
}

/** A link, a pipe, a socket or a device is not listed: a reader of the list would follow the link, or wait for the pipe. */
function addFile(
  files: Map<string, ListedFile>,
  unlisted: Map<string, string>,
  { path, stat: look }: FoundEntry,
): void {
  const stat = look()
  if (stat === undefined || stat.isDirectory()) return
  if (!stat.isFile()) return void unlisted.set(path, versionOf(stat))
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
export interface DirectoryTree extends ReadonlyMap<string, TreeEntry> {
  /** All other entries, keyed by path. A path is as readable as it can be made. */
  readonly others: ReadonlyMap<string, OtherEntry>
}

/** An entry that is neither a regular file nor a directory, or cannot be looked at. */
interface OtherEntry {
  readonly version: string
  /** The rest of a sentence that begins with the path: `is a symbolic link`. */
  readonly why: string
}

/**
 * All regular files and directories below `root`, without following links.
 *
 * @param ignored - names of directories that are left out.
 */
export async function readTree(root: string, ignored: ReadonlySet<string>): Promise<DirectoryTree> {
  const tree = new Map<string, TreeEntry>()
  const others = new Map<string, OtherEntry>()
  const turns = new TimeSlices()
  const onSkipped = (path: string, version: string) => others.set(path, { version, why: cannotBeCopied })
  for await (const entries of walk(root, ignored, onSkipped)) {
    for (const { path, entry, stat: look } of entries) {
      if (turns.isOver) await turns.next()
      if (entry.isDirectory() && ignored.has(entry.name)) continue
      const stat = look()
      const found = treeEntry(stat)
      if (found !== undefined) tree.set(path, found)
      else if (stat !== undefined) others.set(path, { version: versionOf(stat), why: whyOther(stat) })
    }
  }
  return Object.assign(tree, { others })
}

const cannotBeCopied = `has a name that is not UTF-8, is more than ${maxDepth} directories deep, or cannot be read`

function whyOther(stat: BigIntStats): string {
  return stat.isSymbolicLink() ? 'is a symbolic link' : 'is not a regular file'
}

/** Converts metadata to an entry; `undefined` for anything but a regular file or a directory. */
export function treeEntry(stat: BigIntStats | undefined): TreeEntry | undefined {
  if (stat === undefined) return undefined
  const dated = { mode: Number(stat.mode) & 0o777, modifiedMs: Number(stat.mtimeMs) }
  if (stat.isDirectory()) return { kind: 'directory', ...dated }
  if (!stat.isFile()) return undefined
  return { kind: 'file', ...dated, sizeBytes: Number(stat.size), version: versionOf(stat) }
}
