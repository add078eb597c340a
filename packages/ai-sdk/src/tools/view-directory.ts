import type { SandboxSession } from '../ai-sdk.ts'

/** How deep a directory is listed, as Anthropic describes its text editor tool. */
const levels = 2
const maxEntries = 1_000

/** The entries of a directory, two levels deep, a path a line; those whose names begin with a dot are left out. */
export async function viewDirectory(
  session: SandboxSession,
  path: string,
  signal: { readonly abortSignal?: AbortSignal },
): Promise<string> {
  const paths: string[] = []
  const list = async (directory: string, depth: number): Promise<void> => {
    const entries = (await session.listDirectory({ path: directory, ...signal })) ?? []
    for (const { name, type } of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (name.startsWith('.')) continue
      if (paths.length === maxEntries) return
      const entry = `${directory.replace(/\/$/, '')}/${name}`
      paths.push(type === 'directory' ? `${entry}/` : entry)
      if (type === 'directory' && depth < levels) await list(entry, depth + 1)
    }
  }
  await list(path, 1)
  const isCut = paths.length === maxEntries
  return [`${path}:`, ...paths, ...(isCut ? [`[… more than ${maxEntries} entries …]`] : [])].join('\n')
}
