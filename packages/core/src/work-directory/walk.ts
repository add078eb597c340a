import { type Dirent, readdirSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './error-code.ts'
import { Turns } from './turns.ts'

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
  const turns = new Turns()
  for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
    if (turns.isOver) await turns.next()
    const entries = await entriesOf(join(root, directory))
    const prefix = directory === '' ? '' : `${directory}/`
    const found = entries.map((entry) => ({ path: prefix + entry.name, entry }))
    for (const { path, entry } of found) {
      if (entry.isDirectory() && !ignored.has(entry.name)) directories.push(path)
    }
    yield found
  }
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return statSync(directory).size > largestAtOnce
      ? await readdir(directory, { withFileTypes: true })
      : readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    if (isNotThere.has(errorCode(error))) return []
    throw error
  }
}

/** How many bytes a directory itself may have that is read without the thread pool: enough for some thousand names. */
const largestAtOnce = 65_536

/** A directory that is gone by now, locked, or has a path that is too long. Too many open files is another matter. */
const isNotThere = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP'])
