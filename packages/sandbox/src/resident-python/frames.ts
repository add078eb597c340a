/** Letter and length. */
const headerSize = 5

/** Separates the parts of a frame. */
const separator = '\0'

/** A frame for the runner. */
export function encodeFrame(kind: string, parts: readonly string[]): Buffer {
  const body = Buffer.from(parts.join(separator))
  const header = Buffer.alloc(headerSize)
  header.write(kind, 'latin1')
  header.writeUInt32BE(body.length, 1)
  return Buffer.concat([header, body])
}

export interface FrameReaderOptions {
  /** The kinds of frames whose content is passed on in pieces. */
  readonly flowing: string
  /** Takes a part of such a frame. The chunk's memory may be used again afterwards. */
  readonly flow: (kind: string, chunk: Uint8Array) => void
  /** Takes a whole frame of another kind. */
  readonly whole: (kind: string, body: Uint8Array) => void
  /**
   * Size limit for a whole frame of a kind, in bytes.
   *
   * @default 65_536 for each kind, which is enough for a sentence or two
   */
  readonly maxSizes?: Readonly<Record<string, number>>
}

/** Default size limit for a whole frame, in bytes. */
const maxWholeSize = 65_536

/** Takes the stream of a runner apart into frames, which its chunks may cut anywhere. */
export class FrameReader {
  readonly #options: FrameReaderOptions
  readonly #header = Buffer.alloc(headerSize)
  #headerSize = 0
  #kind = ''
  /** Bytes of the current frame that have not come yet. */
  #missing = 0
  #body: Uint8Array[] = []

  constructor(options: FrameReaderOptions) {
    this.#options = options
  }

  /** Returns the parts of the body of a frame. */
  static partsOf(body: Uint8Array): string[] {
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString().split(separator)
  }

  /** @throws Error when this is no stream of frames. */
  push(chunk: Uint8Array): void {
    for (let position = 0; position < chunk.length; ) {
      if (this.#headerSize < headerSize) {
        this.#header[this.#headerSize++] = chunk[position++] ?? 0
        if (this.#headerSize === headerSize) this.#begin()
        continue
      }
      const part = chunk.subarray(position, position + this.#missing)
      position += part.length
      this.#take(part)
    }
  }

  get #isFlowing(): boolean {
    return this.#options.flowing.includes(this.#kind)
  }

  #begin(): void {
    this.#kind = this.#header.toString('latin1', 0, 1)
    this.#missing = this.#header.readUInt32BE(1)
    const maxSize = this.#options.maxSizes?.[this.#kind] ?? maxWholeSize
    if (!/[a-z]/.test(this.#kind) || (!this.#isFlowing && this.#missing > maxSize)) {
      throw new Error(`The runner sent data that is not a frame: ${this.#header.toString('hex')}.`)
    }
    if (this.#missing === 0) this.#end()
  }

  #take(part: Uint8Array): void {
    this.#missing -= part.length
    if (this.#isFlowing) this.#options.flow(this.#kind, part)
    else this.#body.push(new Uint8Array(part))
    if (this.#missing === 0) this.#end()
  }

  #end(): void {
    this.#headerSize = 0
    const body = Buffer.concat(this.#body)
    this.#body = []
    if (!this.#isFlowing) this.#options.whole(this.#kind, body)
  }
}
