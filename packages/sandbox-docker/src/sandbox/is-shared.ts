import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFileName } from '@fenced/core/internal'
import type { Container } from '../container/container.ts'
import { workingDirectoryInside } from './sandbox-options.ts'

/**
 * Whether the directory that was mounted is the one on this machine: another machine may have one of the same name. A
 * file that is made here for a moment is seen there.
 */
export async function isShared(
  container: Container,
  hostPath: string,
  signal: AbortSignal,
): Promise<boolean> {
  const name = temporaryFileName('tmp')
  const path = join(hostPath, name)
  await writeFile(path, '', { flag: 'wx', mode: 0o600 })
  try {
    return await container.has(`${workingDirectoryInside}/${name}`, { signal })
  } finally {
    await rm(path, { force: true })
  }
}
