import { type BigIntStats, lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileListing, ListedFile } from './work-directory.ts'

/** Beyond this, looking before and after every block would cost more than running it. */
const maxEntries = 10_000

/** What tools put beside a program and nobody means by "the files that it made". */
const ignoredDirectories = new Set(['__pycache__', '.git', 'node_modules', '.venv', '.ipynb_checkpoints'])

/** The regular files below `root`, without following links; `undefined` when there are too many. */
export async function listFiles(root: string): Promise<FileListing | undefined> {
  const files = new Map<string, ListedFile>()
  const directories = ['']
  let entryCount = 0
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    const entries = await readdir(join(root, directory), { withFileTypes: true }).catch(() => [])
    entryCount += entries.length
    if (entryCount > maxEntries) return undefined
    for (const entry of entries) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`
      if (entry.isDirectory() && !ignoredDirectories.has(entry.name)) directories.push(path)
      else if (entry.isFile()) addFile(files, root, path)
    }
  }
  return files
}

function addFile(files: Map<string, ListedFile>, root: string, path: string): void {
  const stat = statOf(join(root, path))
  // The change time cannot be set by a program, unlike the modification time.
  if (stat?.isFile()) {
    files.set(path, { sizeBytes: Number(stat.size), version: `${stat.ino} ${stat.size} ${stat.ctimeNs}` })
  }
}

/** A program can make files that we cannot look at: gone by now, locked, or with a path that is too long. */
function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true })
  } catch {
    return undefined
  }
}
