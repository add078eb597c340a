import { existsSync, lstatSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TemporaryDirectory } from '@fenced/core/internal'
import { pythonSource } from './python-source.ts'

let directory: string | undefined

/**
 * The path of a file with the program of a Python's own kernel, for an interpreter that imports it before it forks. The file is in a
 * private temporary directory, which ends with this process.
 *
 * @throws what the system answers where no file can be written.
 */
export function ownKernelFile(): string {
  if (directory === undefined || !isOurs(directory)) {
    directory = TemporaryDirectory.make().path
    writeFileSync(pathIn(directory), pythonSource('own_kernel'))
  }
  return pathIn(directory)
}

function pathIn(directory: string): string {
  return join(directory, 'own_kernel.py')
}

/** A service that cleans temporary directories may have removed it, and then another user can take its name. */
function isOurs(directory: string): boolean {
  const stat = lstatSync(directory, { throwIfNoEntry: false })
  return stat?.uid === process.getuid?.() && existsSync(pathIn(directory))
}
