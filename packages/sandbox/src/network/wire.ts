/**
 * What goes between this process and the helper in a sandbox: a greeting, and then frames, each of them a kind (a byte), the number of
 * a channel, and a length (32 bits each, the highest byte first) before its content. A channel is a connection that a program made to the
 * helper. The helper's is the same in Python and in JavaScript.
 *
 * `O` opens a channel (the helper only; numbers rise), `D` is data, `E` the end of data in this direction, `R` the end of the channel
 * at once, `C` credit: a number of bytes more that may be sent.
 */
export type FrameKind = 'O' | 'D' | 'E' | 'R' | 'C'

/** One frame. */
export interface Frame {
  readonly kind: FrameKind
  readonly channel: number
  /** Not used again by who made it. */
  readonly content: Buffer
}

/** The greeting of this version, which the helper sends first. */
export const greeting = Buffer.from('fenced-network 1\n')
/** How many bytes may be on their way in each direction of a channel without credit. */
export const initialCredit = 256 * 1_024
export const largestContent = 64 * 1_024

const headerSize = 9
const kinds: ReadonlySet<string> = new Set(['O', 'D', 'E', 'R', 'C'])

/** The other side does not keep to the protocol. */
export class WireError extends Error {}

export function frame(kind: FrameKind, channel: number, content: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(headerSize + content.length)
  header.write(kind, 0, 'latin1')
  header.writeUInt32BE(channel, 1)
  header.writeUInt32BE(content.length, 5)
  header.set(content, headerSize)
  return header
}

export function creditFrame(channel: number, bytes: number): Buffer {
  const content = Buffer.alloc(4)
  content.writeUInt32BE(bytes)
  return frame('C', channel, content)
}

/** Takes what a helper sends apart. It keeps no more than a frame. */
export class WireReader {
  readonly #onGreeting: () => void
  readonly #onFrame: (frame: Frame) => void
  /** Bytes that were not read yet, in the pieces in which they came. */
  #kept: Buffer[] = []
  #keptBytes = 0
  /** The pieces are put together only when they have the next header or frame. */
  #neededBytes = 0
  #isGreeted = false

  constructor(onGreeting: () => void, onFrame: (frame: Frame) => void) {
    this.#onGreeting = onGreeting
    this.#onFrame = onFrame
  }

  /** @throws WireError */
  push(chunk: Uint8Array): void {
    this.#kept.push(Buffer.from(chunk))
    this.#keptBytes += chunk.length
    if (this.#keptBytes < this.#neededBytes) return
    let rest: Buffer = Buffer.concat(this.#kept)
    if (!this.#isGreeted) {
      const begin = rest.subarray(0, greeting.length)
      if (!greeting.subarray(0, begin.length).equals(begin))
        throw new WireError('it began with something else')
      this.#isGreeted = begin.length === greeting.length
      if (this.#isGreeted) {
        rest = rest.subarray(greeting.length)
        this.#onGreeting()
      }
    }
    if (this.#isGreeted) rest = this.#frames(rest)
    this.#kept = [Buffer.from(rest)]
    this.#keptBytes = rest.length
  }

  #frames(data: Buffer): Buffer {
    let at = 0
    this.#neededBytes = headerSize
    while (data.length >= at + headerSize) {
      const kind = String.fromCharCode(data[at] ?? 0)
      const channel = data.readUInt32BE(at + 1)
      const length = data.readUInt32BE(at + 5)
      if (!kinds.has(kind)) throw new WireError('it sent a frame of an unknown kind')
      if (length > largestContent) throw new WireError('it sent a frame that is too long')
      const end = at + headerSize + length
      if (data.length < end) {
        this.#neededBytes = end - at
        break
      }
      this.#onFrame({ kind: kind as FrameKind, channel, content: data.subarray(at + headerSize, end) })
      at = end
    }
    return data.subarray(at)
  }
}
