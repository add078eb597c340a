import type { SandboxEntry } from '@fenced/core/sandbox'

/** What `stat` of a script prints: the mode in hexadecimal, bytes, seconds, user, group. The target of a link is in a second line. */
export function parseEntry(text: string): SandboxEntry {
  const end = text.indexOf('\n')
  const [mode = '', size = '', seconds = '', uid = '', gid = ''] = text.slice(0, end).split(' ')
  const linkTarget = text.slice(end + 1)
  const bits = Number.parseInt(mode, 16)
  const kind = kinds.get(bits & 0o170000) ?? 'other'
  return {
    kind,
    sizeBytes: kind === 'file' ? Number(size) : 0,
    mode: bits & 0o7777,
    uid: Number(uid),
    gid: Number(gid),
    changedAtMs: Math.round(Number(seconds) * 1_000),
    ...(kind === 'link' && linkTarget !== '' ? { linkTarget } : {}),
  }
}

/** A larger directory is not listed: a program can fill one without end. */
export const mostEntries = 100_000

/**
 * Parses the entries of a directory. A name follows each entry, and a slash and a newline end it. `undefined` for more
 * than {@link mostEntries}.
 */
export function parseEntries(text: string): ReadonlyMap<string, SandboxEntry> | undefined {
  const entries = text.split('/\n', mostEntries + 2).slice(0, -1)
  if (entries.length > mostEntries) return undefined
  return new Map(
    entries.map((entry) => {
      const [, stat = '', name = ''] = /^(\S+ \S+ \S+ \S+ \S+) (.*)$/s.exec(entry) ?? []
      return [name, parseEntry(`${stat}\n`)]
    }),
  )
}

/** By the bits of a mode that say so. */
const kinds: ReadonlyMap<number, SandboxEntry['kind']> = new Map([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'link'],
])
