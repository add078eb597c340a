import type { Headers } from 'tar-stream'

/** The header of an entry as tar-stream reads it, with the extended ones (pax(1)); its types lack those. */
export interface TarHeader
  extends Omit<Headers, 'type' | 'mode' | 'mtime' | 'size' | 'uid' | 'gid' | 'linkname'> {
  readonly type: NonNullable<Headers['type']>
  readonly mode: number
  readonly mtime: Date
  readonly size: number
  readonly uid: number
  readonly gid: number
  readonly linkname: string
  readonly pax?: Readonly<Record<string, string>> | null
}
