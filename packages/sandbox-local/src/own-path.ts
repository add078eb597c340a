import { readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** What names the directory that it is in, by paths from there. */
export interface NamedIn {
  readonly texts: readonly string[]
  readonly links: readonly string[]
  /** Files that are no text: of them nothing can be changed. */
  readonly unmovable: readonly string[]
}

/** Finds what names its own directory. Nothing may be changed in there meanwhile. */
export async function filesThatName(directory: string): Promise<NamedIn> {
  const [texts, links, unmovable]: [string[], string[], string[]] = [[], [], []]
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const inside = relative(directory, path)
    if (entry.isSymbolicLink()) {
      if ((await readlink(path)).includes(directory)) links.push(inside)
    } else if (entry.isFile()) {
      const content = await readFile(path)
      if (!content.includes(directory)) continue
      // Compiled Python files contain the path of their source, and are compiled again when the path changes.
      if (content.includes(0)) path.endsWith('.pyc') || unmovable.push(inside)
      else texts.push(inside)
    }
  }
  return { texts, links, unmovable }
}

/** Replaces the path of the other directory by the path of this directory in texts and links. */
export async function moveNames(
  directory: string,
  { from, texts, links }: Pick<NamedIn, 'texts' | 'links'> & { readonly from: string },
): Promise<void> {
  for (const inside of texts) {
    const path = join(directory, inside)
    // A character for a byte, so that no other encoding is harmed.
    const text = await readFile(path, 'latin1')
    await writeFile(path, withPath(text, bytesOf(from), bytesOf(directory)), 'latin1')
  }
  for (const inside of links) {
    const path = join(directory, inside)
    const target = withPath(await readlink(path), from, directory)
    await rm(path)
    await symlink(target, path)
  }
}

/** A path is changed as a whole, and not where it is the beginning of another name. */
function withPath(text: string, from: string, to: string): string {
  const escaped = from.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return text.replaceAll(new RegExp(`(?<![\\w.-])${escaped}(?![\\w.-])`, 'g'), () => to)
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}
