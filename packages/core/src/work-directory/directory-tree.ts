import type { BigIntStats } from 'node:fs'
import { versionOf } from './file-version.ts'
import { Turns } from './turns.ts'
import { walk } from './walk.ts'
import type { ListedFile } from './work-directory.ts'

interface Dated {
  /** The permission bits. */
  readonly mode: number
  readonly modifiedMs: number
}

/** A regular file, as a copy of it needs it. */
export interface TreeFile extends ListedFile, Dated {
  readonly kind: 'file'
}

export interface TreeDirectory extends Dated {
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
  const turns = new Turns()
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

/** What has been found, if it is a regular file or a directory. */
export function treeEntry(stat: BigIntStats | undefined): TreeEntry | undefined {
  if (stat === undefined) return undefined
  const dated = { mode: Number(stat.mode) & 0o777, modifiedMs: Number(stat.mtimeMs) }
  if (stat.isDirectory()) return { kind: 'directory', ...dated }
  if (!stat.isFile()) return undefined
  return { kind: 'file', ...dated, sizeBytes: Number(stat.size), version: versionOf(stat) }
}
