import { createHash } from 'node:crypto'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** Hash of the names below a directory, the sizes of files and the targets of links. Differs where a file was lost or cut. */
export async function hashOfListing(directory: string): Promise<string> {
  const lines: string[] = []
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const content = entry.isFile()
      ? (await lstat(path)).size
      : entry.isSymbolicLink()
        ? await readlink(path)
        : 'directory'
    lines.push(JSON.stringify([relative(directory, path), content]))
  }
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex')
}
