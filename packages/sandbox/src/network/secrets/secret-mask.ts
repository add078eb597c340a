import { type Decoding, EscapedTexts, undecoded } from './decoding.ts'
import { escapeSigns, escapesIn, longestEscape, type PlacedEscape } from './escapes.ts'
import type { HashedTexts } from './hashed-texts.ts'

const mask = 0x2a

/** Ways to read the bytes: with one kind of escapes decoded, and with all of them. */
const kinds: readonly string[] = [...escapeSigns, escapeSigns]

/**
 * Puts `*` over texts in bytes, in upper or lower case, also where characters of them are escaped in a way that `escapesIn` knows, and
 * keeps the length.
 *
 * A program can choose the bytes, and see what arrives and when. If a part of a text made a difference, the program could find a secret
 * character by character. So none does:
 *
 * - Only whole texts are masked.
 * - The bytes after the last byte that no text has are held back: a space, a control character such as a line break, or a byte
 *   that is not ASCII. They are at most as many as the longest text has with every character escaped. Which texts there are makes no
 *   difference. A timer would not do: a server that pauses within a text would give it away in two pieces.
 * - The search takes the same time for every byte (`HashedTexts`).
 */
export class SecretMask {
  readonly #texts: HashedTexts
  readonly #escaped: EscapedTexts
  #held: Buffer = Buffer.alloc(0)
  /** Where the held back bytes begin in the stream. */
  #begin = 0
  /** The first byte that was not read. */
  #next = 0
  /** End of the last byte read that no text has. */
  #boundary = 0
  #decodings: readonly Decoding[] = kinds.map(() => undecoded)
  /** The places of texts that were found in the held back bytes. */
  #found: { readonly begin: number; readonly end: number }[] = []

  constructor(texts: HashedTexts) {
    this.#texts = texts
    this.#escaped = new EscapedTexts(texts, (begin, end) => this.#found.push({ begin, end }))
  }

  /** Takes more bytes, and returns those that may be passed on. @param isEnd - whether they are the last ones. */
  push(chunk: Buffer, isEnd = false): Buffer {
    this.#held = Buffer.concat([this.#held, chunk])
    const { escapes, end } = escapesIn(this.#held, this.#next - this.#begin, isEnd)
    this.#readPlain(end)
    this.#readEscaped(escapes, end)
    this.#moveBoundary(end)
    this.#next = this.#begin + end
    const longest = this.#texts.longest * longestEscape
    return this.#release(isEnd ? this.#next : Math.max(this.#begin, this.#boundary, this.#next - longest))
  }

  /** @param end - of the bytes that can be read, in those that are held back. */
  #readPlain(end: number): void {
    const from = this.#next - this.#begin
    const first = Math.max(0, from - this.#texts.longest + 1)
    this.#texts.search(this.#held.subarray(first, end), from - first, (begin, behind) =>
      this.#found.push({ begin: this.#begin + first + begin, end: this.#begin + first + behind }),
    )
  }

  #readEscaped(inHeld: readonly PlacedEscape[], end: number): void {
    const part = { bytes: this.#held, begin: this.#begin, end: this.#begin + end }
    const escapes = inHeld.map((each) => ({ ...each, at: this.#begin + each.at }))
    const read: { before: Decoding; count: number; after: Decoding }[] = []
    this.#decodings = kinds.map((signs, index) => {
      const before = this.#decodings[index] ?? undecoded
      const own = escapes.filter(({ sign }) => signs.includes(sign))
      // All kinds together are the same as one, where there is only one.
      const same =
        signs === escapeSigns
          ? read.find((each) => each.before === before && each.count === own.length)
          : undefined
      const after = same?.after ?? this.#escaped.read(before, part, own)
      read.push({ before, count: own.length, after })
      return after
    })
  }

  #moveBoundary(end: number): void {
    const from = this.#next - this.#begin
    for (let at = end - 1; at >= from; at--) {
      const code = this.#held[at] ?? 0
      if (code > 0x20 && code < 0x7f) continue
      this.#boundary = this.#begin + at + 1
      return
    }
  }

  #release(end: number): Buffer {
    const released = this.#held.subarray(0, end - this.#begin)
    for (const found of this.#found) {
      const begin = Math.max(found.begin - this.#begin, 0)
      if (begin < released.length)
        released.fill(mask, begin, Math.min(found.end - this.#begin, released.length))
    }
    this.#found = this.#found.filter((found) => found.end > end)
    this.#held = this.#held.subarray(released.length)
    this.#begin = end
    return released
  }
}
