import { statSync } from 'node:fs'
import type { CellEnd } from './cell.ts'
import type { CellIo } from './cell-output.ts'
import type { KernelClient } from './kernel-client.ts'

/** Tells a directory from a later one at the same path, also from one that has its inode. */
export function identityOfDirectory(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev} ${stat.ino} ${stat.birthtimeNs}`
}

/**
 * Moves a Python kernel whose working directory was removed into the directory that is at its path now. It fails in a kernel that
 * has the directory by a mount, which remains that of the removed directory.
 */
export function enterDirectory(kernel: KernelClient, path: string, io: CellIo): Promise<CellEnd> {
  const program = [
    'import os',
    'try:',
    '    os.getcwd()',
    'except OSError:',
    `    os.chdir(${JSON.stringify(path)})`,
    '    os.getcwd()',
  ]
  // With names of its own: the variables of programs stay as they are.
  const code = `exec(${JSON.stringify(program.join('\n'))}, {})`
  return kernel.run(code, io, { silent: true })
}
