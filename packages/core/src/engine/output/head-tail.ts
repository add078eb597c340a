const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** See {@link HeadTail.summary}. */
interface Summary {
  readonly text: string
  readonly droppedBytes: number
}

/** A part of the beginning of a stream, in bytes. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

interface Replacement extends ByteRange {
  readonly bytes: Uint8Array
}

/**
 * Keeps the beginning and the end of a stream of UTF-8 within a number of bytes, however long it is. What it keeps
 * lies in two fixed buffers: text that is held for a while and then dropped would fill the heap faster than it
 * is collected.
 */
export class HeadTail {
  #headLimit: number
  readonly #tailLimit: number
  #head: Uint8Array = new Uint8Array(0)
  #headSize = 0
  /** A ring: byte n after the head is at n modulo its length. */
  #tail: Uint8Array | undefined
  #tailTotal = 0
  #summary: Summary | undefined

  constructor(maxBytes: number) {
    this.#tailLimit = Math.floor(maxBytes / 2)
    this.#headLimit = maxBytes - this.#tailLimit
  }

  push(bytes: Uint8Array): void {
    this.#summary = undefined
    const forHead = Math.min(bytes.length, this.#headLimit - this.#headSize)
    if (forHead > 0) this.#fillHead(bytes.subarray(0, forHead))
    if (forHead < bytes.length) this.#fillTail(forHead > 0 ? bytes.subarray(forHead) : bytes)
  }

  /** Number of bytes so far, while all of them are in the beginning, which nothing displaces. */
  get sizeOfHead(): number | undefined {
    return this.#tailTotal === 0 ? this.#headSize : undefined
  }

  /** Replaces parts of the beginning, which are in order. Returns those for which there was no room. */
  replace(parts: readonly Replacement[]): readonly Replacement[] {
    const left: Replacement[] = []
    const pieces: Uint8Array[] = []
    let [size, position] = [this.#headSize, 0]
    for (const part of parts) {
      const { start, end, bytes } = part
      const next = size - (end - start) + bytes.length
      if (next > this.#headLimit) left.push(part)
      else {
        pieces.push(this.#head.subarray(position, start), bytes)
        position = end
        size = next
      }
    }
    this.#head = Buffer.concat([...pieces, this.#head.subarray(position, this.#headSize)])
    this.#headSize = size
    // Otherwise, what comes next would be put before the tail.
    if (this.#tailTotal > 0) this.#headLimit = size
    this.#summary = undefined
    return left
  }

  /** Whether the stream is longer than what is kept. */
  get overflowed(): boolean {
    return this.#tailTotal > this.#tailLimit
  }

  /** Returns the kept text and the number of dropped bytes. A line between head and tail has this number, too. */
  summary(): Summary {
    this.#summary ??= this.#summarize()
    return this.#summary
  }

  /** Returns the end of the kept bytes: whole characters, up to a number of bytes. */
  end(maxBytes: number): string {
    const ofTail = this.#unrolledTail(Math.min(maxBytes, this.#tailTotal, this.#tailLimit))
    const room = this.overflowed ? 0 : Math.min(maxBytes - ofTail.length, this.#headSize)
    const ofHead = this.#head.subarray(this.#headSize - room, this.#headSize)
    const bytes = Buffer.concat([ofHead, ofTail])
    return decoder.decode(bytes.subarray(leadingContinuations(bytes)))
  }

  #summarize(): Summary {
    const head = this.#head.subarray(0, this.#headSize)
    const tail = this.#unrolledTail(Math.min(this.#tailTotal, this.#tailLimit))
    if (!this.overflowed) return { text: decoder.decode(Buffer.concat([head, tail])), droppedBytes: 0 }
    const wholeHead = head.subarray(0, wholeCharacters(head))
    const wholeTail = tail.subarray(leadingContinuations(tail))
    const droppedBytes = this.#headSize + this.#tailTotal - wholeHead.length - wholeTail.length
    const gap = `\n[... ${droppedBytes} bytes of output left out ...]\n`
    return { text: decoder.decode(wholeHead) + gap + decoder.decode(wholeTail), droppedBytes }
  }

  #fillHead(bytes: Uint8Array): void {
    const size = this.#headSize + bytes.length
    if (size > this.#head.length) {
      const larger = new Uint8Array(Math.min(this.#headLimit, Math.max(1024, 2 * size)))
      larger.set(this.#head)
      this.#head = larger
    }
    this.#head.set(bytes, this.#headSize)
    this.#headSize = size
  }

  #fillTail(bytes: Uint8Array): void {
    this.#tail ??= new Uint8Array(this.#tailLimit)
    const ring = this.#tail
    // Only the last round is left in the ring in the end.
    const last = bytes.length > ring.length ? bytes.subarray(bytes.length - ring.length) : bytes
    const position = (this.#tailTotal + bytes.length - last.length) % ring.length
    const room = ring.length - position
    ring.set(last.length > room ? last.subarray(0, room) : last, position)
    if (last.length > room) ring.set(last.subarray(room), 0)
    this.#tailTotal += bytes.length
  }

  /** The last bytes of the stream; no more than the ring holds. */
  #unrolledTail(count: number): Uint8Array {
    const ring = this.#tail
    if (ring === undefined || count === 0) return new Uint8Array(0)
    const end = this.#tailTotal % ring.length
    if (count <= end) return ring.subarray(end - count, end)
    return Buffer.concat([ring.subarray(ring.length + end - count), ring.subarray(0, end)])
  }
}

/** Returns the number of leading bytes that belong to an earlier character, three at the most. */
function leadingContinuations(bytes: Uint8Array): number {
  const first = bytes.subarray(0, 3).findIndex((byte) => !isContinuation(byte))
  return first === -1 ? Math.min(3, bytes.length) : first
}

/**
 * Returns the length of the whole UTF-8 characters: all bytes but the beginning of a character at the end, whose rest may still
 * come. Bytes that are no UTF-8 count as whole, to be replaced when they are decoded.
 */
export function wholeCharacters(bytes: Uint8Array): number {
  // A character has at most four bytes, so its first is among the last three if it is not whole.
  for (let length = 1; length <= 3 && length <= bytes.length; length++) {
    const byte = bytes[bytes.length - length] ?? 0
    if (isContinuation(byte)) continue
    return sequenceLength(byte) > length ? bytes.length - length : bytes.length
  }
  return bytes.length
}

/** UTF-8: every byte of a character but its first is 10xxxxxx. */
function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}

function sequenceLength(firstByte: number): number {
  if (firstByte >= 0b1111_0000) return 4
  if (firstByte >= 0b1110_0000) return 3
  return firstByte >= 0b1100_0000 ? 2 : 1
}
