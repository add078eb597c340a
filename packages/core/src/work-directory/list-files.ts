import { versionOf } from './file-version.ts'
import { Turns } from './turns.ts'
import { type FoundEntry, walk } from './walk.ts'
import type { FileListing, ListedFile } from './work-directory.ts'

/** Beyond this, looking before and after every block would cost more than running it. */
const maxEntries = 10_000

/**
 * What tools put beside a program and nobody means by "the files that it made". A copy of a working directory leaves
 * it on the side that made it: a tool makes it again where it is missing, and what is in `.git` runs as hooks.
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
  const turns = new Turns()
  let entryCount = 0
  for await (const entries of walk(root, ignoredDirectories)) {
    entryCount += entries.length
    if (entryCount > maxEntries) return undefined
    for (const found of entries) {
      if (turns.isOver) await turns.next()
      if (found.entry.isFile()) addFile(files, found)
    }
  }
  return files
}

function addFile(files: Map<string, ListedFile>, { path, stat: look }: FoundEntry): void {
  const stat = look()
  if (stat?.isFile() !== true) return
  const setsId = (stat.mode & 0o6000n) === 0n ? {} : { setsId: true as const }
  files.set(path, { sizeBytes: Number(stat.size), version: versionOf(stat), ...setsId })
}
