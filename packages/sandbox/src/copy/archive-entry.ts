/** An entry as the archive has it, and its content. */
export interface RawEntry extends AsyncIterable<Buffer> {
  readonly header: TarHeader
}

/** What an archive says of a file without its content. A program can forge all of it. */
export interface FileMetadata {
  readonly sizeBytes: number
  readonly modifiedSeconds: number
  /** The permission bits. */
  readonly mode: number
}

interface NamedEntry {
  readonly name: string
  /** Changes with what the archive says of the entry. */
  readonly version: string
}

export interface FileEntry extends NamedEntry {
  readonly kind: 'file'
  readonly look: FileMetadata
  readonly content: AsyncIterable<Buffer>
}

/** Another name of a file that came earlier in the archive. */
export interface HardLinkEntry extends NamedEntry {
  readonly kind: 'hard link'
  readonly target: string
}

/** An entry of an archive, with its name below the working directory. */
export type ArchiveEntry =
  | FileEntry
  | HardLinkEntry
  | (NamedEntry & { readonly kind: 'directory' })
  /** A symbolic link or a device. */
  | (NamedEntry & { readonly kind: 'other'; readonly why: string })
  /** A file or a directory that cannot be brought. */
  | (NamedEntry & { readonly kind: 'refused'; readonly why: string })

/**
 * @param root - what the archive was asked for, below the working directory: the engine gives its base name, or
 * something like it, to the first part of every name.
 */
export function archiveEntry(entry: RawEntry, root: string): ArchiveEntry {
  const { header } = entry
  const name = below(root, header.name)
  if (header.type === 'symlink') return { kind: 'other', name, version: header.linkname, why: isSymbolicLink }
  const { type, size: sizeBytes, linkname } = header
  const mode = header.mode & 0o777
  const modifiedSeconds = Math.floor(header.mtime.getTime() / 1000)
  const named = { name, version: [type, sizeBytes, mode, modifiedSeconds].join(' ') }
  if (!carried.has(type)) return { kind: 'other', ...named, why: isSpecialFile }
  const why = refusal(header, name)
  if (why !== undefined) return { kind: 'refused', ...named, why }
  if (type === 'directory') return { kind: 'directory', ...named }
  if (type === 'link') return { kind: 'hard link', ...named, target: below(root, linkname) }
  return { kind: 'file', ...named, look: { sizeBytes, modifiedSeconds, mode }, content: entry }
}

function below(root: string, nameInArchive: string): string {
  const [, ...parts] = nameInArchive.replace(/\/$/, '').split('/')
  return [...(root === '' ? [] : [root]), ...parts].join('/')
}

function refusal({ pax }: TarHeader, name: string): string | undefined {
  // Bytes that are not UTF-8 have become this character.
  if (name.includes('\uFFFD')) return 'has a name that is not UTF-8, or contains U+FFFD'
  if (Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse'))) return 'is in a sparse format'
  const parts = name === '' ? [] : name.split('/')
  const isName = (part: string) => !['', '.', '..'].includes(part) && !part.includes('\0')
  return parts.every(isName) ? undefined : 'has a name that cannot be used'
}

const carried = new Set(['file', 'contiguous-file', 'directory', 'link'])

/** Why a link is left where it is. */
export const isSymbolicLink = 'is a symbolic link'

const isSpecialFile = 'is not a regular file'

/**
 * The header of an entry as tar-stream reads it, with the extended ones (pax(1)), which its types lack. Its types are not used
 * here: packages that import ours would need them too.
 */
export interface TarHeader {
  readonly name: string
  readonly type: TarEntryType
  readonly mode: number
  readonly mtime: Date
  readonly size: number
  readonly uid: number
  readonly gid: number
  readonly linkname: string
  readonly pax?: Readonly<Record<string, string>> | null
}

type TarEntryType =
  | 'file'
  | 'link'
  | 'symlink'
  | 'character-device'
  | 'block-device'
  | 'directory'
  | 'fifo'
  | 'contiguous-file'
  | 'pax-header'
  | 'pax-global-header'
  | 'gnu-long-link-path'
  | 'gnu-long-path'
