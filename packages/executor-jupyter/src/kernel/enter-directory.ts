import { statSync } from 'node:fs'
import { pythonCall } from '../python-source.ts'
import type { CellEnd } from './cell.ts'
import type { CellIo } from './cell-output.ts'
import type { KernelClient } from './kernel-client.ts'

/** Identity of a directory. A later directory has another identity, even with the same path or inode. */
export function identityOfDirectory(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.dev} ${stat.ino} ${stat.birthtimeNs}`
}

/** Moves a Python kernel whose working directory was removed into the directory that is at its path now (`enter_directory.py`). */
export function enterDirectory(kernel: KernelClient, path: string, io: CellIo): Promise<CellEnd> {
  return kernel.run(pythonCall('enter_directory', [path]), io, { silent: true })
}
