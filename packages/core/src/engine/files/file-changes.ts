import { join } from 'node:path'
import { shortened } from '@fenced/errors/text'
import type { Notice, OutputFile } from '../../vocabulary/code-result.ts'
import type { HostWorkDirectory } from '../../work-directory/host-work-directory.ts'
import { maxDepth } from '../../work-directory/walk.ts'
import type { FileListing, ListedFile } from '../../work-directory/work-directory.ts'

/** The files that a program created, changed and removed. */
export interface FileChanges {
  readonly files: readonly OutputFile[]
  readonly removedFiles: readonly string[]
}

/** Where a file is, as a result has it. */
export function located(
  path: string,
  { hostPath }: HostWorkDirectory,
): Pick<OutputFile, 'path' | 'absolutePath'> {
  return { path, absolutePath: join(hostPath, path) }
}

/** The differences between two lists. */
export function fileChanges(
  before: FileListing,
  after: FileListing,
  workDirectory: HostWorkDirectory,
): FileChanges {
  const files: OutputFile[] = []
  const add = (path: string, { sizeBytes, version }: Pick<ListedFile, 'sizeBytes' | 'version'>) => {
    const known = before.get(path)
    if (known?.version === version) return
    const change = known === undefined ? 'created' : 'changed'
    files.push({ ...located(path, workDirectory), sizeBytes, change })
  }
  for (const [path, file] of after) add(path, file)
  const missing = [...before.keys()].filter((path) => !after.has(path))
  if (!after.isCut) return { files, removedFiles: missing }
  const removedFiles: string[] = []
  for (const path of missing) {
    const entry = workDirectory.entry(path)
    if (entry?.kind === 'file') add(path, entry)
    else removedFiles.push(path)
  }
  return { files, removedFiles }
}

/** Paths of what was created or changed and is not listed. */
export function unlistedChanges({ unlisted: known }: FileListing, { unlisted }: FileListing): string[] {
  return [...(unlisted ?? [])].flatMap(([path, version]) => (known?.get(path) === version ? [] : [path]))
}

/** The number of paths in a notice, and the limit for each, in UTF-16 code units. */
const mostNamed = 3
const longestName = 100

/** The notice on a directory with too many entries. */
export function listIsCut(path: string): Notice {
  return {
    code: 'files-not-listed',
    message: `The working directory ${path} contains more than 10,000 entries, so files that the code created or changed are missing in the list. Use a smaller directory.`,
    data: { path },
  }
}

/** The notice on what was created or changed and is not listed. */
export function notListed(paths: readonly string[]): Notice {
  const shown = paths.slice(0, mostNamed).map((path) => shortened(path, longestName))
  const named = shown.map((path) => `"${path}"`)
  const more = paths.length > mostNamed ? `, and ${paths.length - mostNamed} more` : ''
  return {
    code: 'files-not-listed',
    message: `Files that the code created or changed are not listed: ${named.join(', ')}${more}. Each is a link or another special file, has a name that is not UTF-8, is more than ${maxDepth} directories deep, or is in a directory that cannot be read. Write regular files, with other names or in other directories.`,
    data: { path: shown.join(', '), count: `${paths.length}` },
  }
}
