import { randomUUID } from 'node:crypto'
import { lstatSync, opendirSync, unlinkSync } from 'node:fs'
import { type DirectoryIdentity, identityOf } from './directory-identity.ts'
import { openRoot } from './open-directory.ts'

/** Begins the random digits of each temporary file of this process, so that the files of a killed process are recognized. */
export const temporaryFileTag = randomUUID().slice(0, 8)

/** The number of names that are read in one directory: a program can fill a directory without end. */
const mostNames = 100_000

/**
 * A hidden name that no other call uses, for a file that is in a working directory for a short time.
 *
 * @param extension - without a dot.
 */
export function temporaryFileName(extension: string): string {
  return `.fenced-${temporaryFileTag}${randomUUID().slice(-12)}.${extension}`
}

/**
 * Removes files with {@link temporaryFileName} that a process has left in a working directory, but not below it. Never throws: what
 * cannot be removed stays.
 *
 * @param path - the real path of the directory. Nothing is removed where another directory is there by now.
 */
export function removeTemporaryFiles(path: string, identity: DirectoryIdentity, tag: string): void {
  try {
    using directory = openRoot(path)
    const { id, born } = identityOf(directory.entry('.'))
    if (id !== identity.id || born !== identity.born) return
    for (const name of namesIn(directory.entry('.'))) {
      const entry = directory.entry(name)
      if (name.startsWith(`.fenced-${tag}`) && lstatSync(entry).isFile()) unlinkSync(entry)
    }
  } catch {
    // The directory is gone, or a program there is faster.
  }
}

function* namesIn(path: string): Generator<string> {
  const directory = opendirSync(path)
  try {
    for (let count = 0; count < mostNames; count++) {
      const entry = directory.readSync()
      if (entry === null) return
      yield entry.name
    }
  } finally {
    directory.closeSync()
  }
}
