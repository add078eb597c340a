import { Transform, type TransformCallback } from 'node:stream'

export interface MessageLinesOptions {
  /** How long a line may be, without its line break. */
  readonly maxBytes: number
  /** Called at the end of a longer line, with the id of the request in it where it has one. */
  readonly onTooLong: (id: string | number | undefined) => void
}

/** How much is kept of both ends of a line that is too long: the id of a request is there. */
const edgeBytes = 1_024
const lineFeed = 0x0a

/** Passes lines on whole, and skips those that are too long, of which it holds only both ends. */
export class MessageLines extends Transform {
  readonly #options: MessageLinesOptions
  #line = Buffer.alloc(0)
  #length = 0
  #skipped: { readonly begin: Buffer; end: Buffer } | undefined

  constructor(options: MessageLinesOptions) {
    super()
    this.#options = options
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let from = 0
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      this.#add(chunk.subarray(from, to))
      this.#endLine()
      from = to + 1
    }
    this.#add(chunk.subarray(from))
    done()
  }

  #add(piece: Buffer): void {
    const line = this.#line.subarray(0, this.#length)
    if (this.#skipped !== undefined) this.#skipped.end = lastBytes(this.#skipped.end, piece)
    else if (line.length + piece.length > this.#options.maxBytes) {
      const begin = Buffer.concat([line.subarray(0, edgeBytes), piece.subarray(0, edgeBytes)])
      this.#skipped = { begin, end: lastBytes(line, piece) }
      this.#clear()
    } else this.#append(piece)
  }

  #append(piece: Buffer): void {
    const length = this.#length + piece.length
    if (length > this.#line.length) {
      const larger = Buffer.allocUnsafe(length * 2)
      this.#line.copy(larger, 0, 0, this.#length)
      this.#line = larger
    }
    piece.copy(this.#line, this.#length)
    this.#length = length
  }

  #endLine(): void {
    if (this.#skipped === undefined) {
      this.#append(Buffer.of(lineFeed))
      this.push(this.#line.subarray(0, this.#length))
    } else this.#options.onTooLong(requestId(this.#skipped.begin.toString(), this.#skipped.end.toString()))
    this.#skipped = undefined
    this.#clear()
  }

  #clear(): void {
    // The reader owns the line's memory: the next line starts in a new buffer.
    this.#line = Buffer.alloc(0)
    this.#length = 0
  }
}

function lastBytes(before: Buffer, piece: Buffer): Buffer {
  return Buffer.concat([before.subarray(-edgeBytes), piece.subarray(-edgeBytes)]).subarray(-edgeBytes)
}

/** Members of a request before or after its parameters. */
const member = String.raw`\s*"(?:jsonrpc|id|method)"\s*:\s*(?:"[^"\\\x00-\x1f]*"|-?(?:0|[1-9]\d{0,14}))\s*`
const before = new RegExp(String.raw`^\s*\{((?:${member},)+)`)
const behind = new RegExp(String.raw`((?:,${member})+)\}\s*$`)

/** The id of a request by both ends of its JSON; `undefined` for a notification, an answer, and where the id cannot be seen. */
function requestId(begin: string, end: string): string | number | undefined {
  const members = `${before.exec(begin)?.[1] ?? ''}"":0${behind.exec(end)?.[1] ?? ''}`
  const { method, id } = JSON.parse(`{${members}}`) as { method?: unknown; id?: string | number }
  return method === undefined ? undefined : id
}
