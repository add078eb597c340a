import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './error-code.ts'

/** An entry of a directory, with its path below the root. */
export interface FoundEntry {
  readonly path: string
  readonly entry: Dirent
}

/**
 * What is below `root`, one directory's entries after the other's, a directory before what is in it. Links are not
 * followed.
 *
 * @param ignored - names of directories that are not gone into.
 */
export async function* walk(root: string, ignored: ReadonlySet<string>): AsyncGenerator<FoundEntry[]> {
  const directories = ['']
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    const entries = await readdir(join(root, directory), { withFileTypes: true }).catch(nothingThere)
    const prefix = directory === '' ? '' : `${directory}/`
    const found = entries.map((entry) => ({ path: prefix + entry.name, entry }))
    for (const { path, entry } of found) {
      if (entry.isDirectory() && !ignored.has(entry.name)) directories.push(path)
    }
    yield found
  }
}

/** A directory that is gone by now, locked, or has a path that is too long. Too many open files is another matter. */
function nothingThere(error: unknown): Dirent[] {
  if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP'].includes(errorCode(error))) return []
  throw error
}
