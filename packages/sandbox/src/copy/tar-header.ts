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
