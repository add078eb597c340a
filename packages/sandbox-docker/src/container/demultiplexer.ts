import type { StreamName } from '@fenced/core/driver'

/** Receives output from one stream. The chunk's memory is reused afterward. */
export type OutputSink = (stream: StreamName, chunk: Uint8Array) => void | Promise<void>

/** The engine sent something that is no stream of frames. */
export class NotFramesError extends Error {}

/** Stdin echoed, stdout, stderr, and the engine's own words in the middle of a stream. */
const streams: readonly StreamName[] = ['stdout', 'stdout', 'stderr', 'stderr']

/**
 * Takes the frames of an attached stream apart: a byte that names the stream, three zeros, the length as four
 * bytes in big-endian order, and that many bytes (Docker Engine API, "Attach to a container"). Frames may be cut
 * anywhere by the chunks that they arrive in.
 */
export class Demultiplexer {
  readonly #sink: (stream: StreamName, chunk: Uint8Array) => void
  readonly #header = Buffer.alloc(8)
  #headerSize = 0
  #stream: StreamName = 'stdout'
  /** Bytes of the current frame that have not come yet. */
  #missing = 0

  constructor(sink: (stream: StreamName, chunk: Uint8Array) => void) {
    this.#sink = sink
  }

  /**
   * @param chunk - is written to: neighbouring frames of one stream are moved together and given on as one, because
   * a program that writes single bytes makes a frame of each.
   * @throws NotFramesError when this is no stream of frames.
   */
  push(chunk: Uint8Array): void {
    let start = 0
    let end = 0
    const giveOn = () => {
      if (end > start) this.#sink(this.#stream, chunk.subarray(start, end))
      start = end
    }
    for (let position = 0; position < chunk.length; ) {
      if (this.#missing === 0) {
        const stream = this.#readHeader(chunk[position++] ?? 0)
        if (stream === undefined || stream === this.#stream) continue
        giveOn()
        this.#stream = stream
        continue
      }
      const size = Math.min(this.#missing, chunk.length - position)
      if (start === end) start = end = position
      else chunk.copyWithin(end, position, position + size)
      end += size
      position += size
      this.#missing -= size
    }
    giveOn()
  }

  /** The frame's stream, once its header is whole. */
  #readHeader(byte: number): StreamName | undefined {
    this.#header[this.#headerSize++] = byte
    if (this.#headerSize < this.#header.length) return undefined
    this.#headerSize = 0
    const stream = streams[this.#header[0] ?? streams.length]
    if (stream === undefined || this.#header.readUIntBE(1, 3) !== 0) {
      throw new NotFramesError(`it sent something else than frames: ${this.#header.toString('hex')}`)
    }
    this.#missing = this.#header.readUInt32BE(4)
    return stream
  }
}
