/** An entry of a tar archive. */
export interface TarEntry {
  /** Without a slash at its end. */
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  /** Permissions, as chmod(2) takes them. */
  readonly mode: number
  /** Of a file; empty for everything else. */
  readonly content: Buffer
}

/** An entry to be written: a directory when it has no content. */
export interface NewTarEntry {
  /** At most 100 bytes. */
  readonly name: string
  readonly mode: number
  readonly content?: string | Uint8Array
}

const blockSize = 512

/** A tar archive as POSIX has it since 1988 (pax(1), "ustar Interchange Format"). */
export function writeTar(entries: readonly NewTarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '')
    return [header(entry, content.length), content, Buffer.alloc(padding(content.length))]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * blockSize)])
}

/** The entries of a tar archive, also with names that do not fit into a header, as GNU tar and pax(1) write them. */
export function readTar(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = []
  let longName: string | undefined
  for (let at = 0; at + blockSize <= archive.length && archive[at] !== 0; ) {
    const field = (start: number, length: number) => textOf(archive.subarray(at + start, at + start + length))
    const size = Number.parseInt(field(124, 12), 8) || 0
    const content = archive.subarray(at + blockSize, at + blockSize + size)
    const type = field(156, 1)
    const mode = Number.parseInt(field(100, 8), 8) & 0o7777
    const prefix = field(257, 6) === 'ustar' ? field(345, 155) : ''
    const shortName = `${prefix}${prefix === '' ? '' : '/'}${field(0, 100)}`
    at += blockSize + size + padding(size)
    if (type === 'L') longName = textOf(content)
    else if (type === 'x') longName = paxPath(content) ?? longName
    else if (type !== 'g') {
      const name = (longName ?? shortName).replace(/\/+$/, '')
      entries.push({ name, kind: kinds[type] ?? 'other', mode, content })
      longName = undefined
    }
  }
  return entries
}

const kinds: Readonly<Record<string, TarEntry['kind']>> = { '': 'file', 0: 'file', 2: 'link', 5: 'directory' }

function header({ name, mode, content }: NewTarEntry, size: number): Buffer {
  const block = Buffer.alloc(blockSize)
  const isDirectory = content === undefined
  block.write(isDirectory ? `${name}/` : name, 0)
  block.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(size, 11)}\0${octal(0, 11)}\0`, 100)
  block.write(`        ${isDirectory ? 5 : 0}`, 148)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${octal(sum, 6)}\0 `, 148)
  return block
}

function octal(value: number, width: number): string {
  return value.toString(8).padStart(width, '0')
}

/** Returns the number of bytes up to the next whole block. */
function padding(size: number): number {
  return -size & (blockSize - 1)
}

function textOf(field: Uint8Array): string {
  const end = field.indexOf(0)
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString()
}

/** Of records that each begin with their own length: `17 path=name\n`. */
function paxPath(records: Buffer): string | undefined {
  let path: string | undefined
  for (let at = 0; at < records.length; ) {
    const length = Number.parseInt(records.toString('latin1', at, at + 20), 10)
    if (!(length > 0)) break
    const record = records.toString('utf8', at, at + length - 1)
    path = /^\d+ path=([\s\S]*)$/.exec(record)?.[1] ?? path
    at += length
  }
  return path
}
