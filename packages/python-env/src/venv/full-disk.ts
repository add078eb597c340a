import { statfs } from 'node:fs/promises'

/** Less than any installer gets along with. */
const scantBytes = 2 ** 20

/** That the disk of a path is full. */
export interface ScantSpace {
  /** A sentence. */
  readonly hint: string
  /** The values in it. */
  readonly data: Readonly<Record<string, string>>
}

/** Where the disk of a path is full, because installers do not always say so. */
export async function scantSpace(path: string): Promise<ScantSpace | undefined> {
  const disk = await statfs(path).catch(() => undefined)
  const free = disk === undefined ? scantBytes : disk.bavail * disk.bsize
  if (free >= scantBytes) return undefined
  return {
    hint: ` There is no space left on the disk of ${path}: ${free} bytes are free.`,
    data: { path, freeBytes: String(free) },
  }
}
