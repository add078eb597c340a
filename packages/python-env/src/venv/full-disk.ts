import { statfs } from 'node:fs/promises'

/** Less than any installer gets along with. */
const scantBytes = 2 ** 20

/** A sentence where the disk of a path is full, because installers do not always say so; else an empty text. */
export async function fullDiskHint(path: string): Promise<string> {
  const disk = await statfs(path).catch(() => undefined)
  const free = disk === undefined ? scantBytes : disk.bavail * disk.bsize
  return free < scantBytes ? ` There is no space left on the disk of ${path}: ${free} bytes are free.` : ''
}
