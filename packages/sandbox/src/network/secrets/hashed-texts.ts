import { randomBytes } from 'node:crypto'

/** How many bits of a hash are looked up before all of it. */
const filterBits = 12
/** The number of codes of a byte. */
const codes = 256

/** Called with the start and the end of a text. */
export type OnText = (begin: number, end: number) => void

/** The texts of one length. */
interface Length {
  readonly length: number
  /** What the hash before as many characters is multiplied by, to be taken from the hash behind them. */
  readonly power: number
  readonly byHash: ReadonlyMap<number, readonly Buffer[]>
  /** By the first bits of a hash: whether a text has it. */
  readonly filter: Uint8Array
}

/**
 * Texts to find by a rolling hash over as many characters as a text has. Only a whole text has its hash, and every other character
 * costs the same, so the time of a search reveals no part of a text.
 */
export class HashedTexts {
  readonly longest: number
  readonly #lengths: readonly Length[]
  readonly #factor: number
  /** By code: a random number, the same in upper and lower case. */
  readonly #weights: Int32Array
  /** By place: the hash of everything before it. */
  #hashes = new Int32Array()

  /** @param texts - of ASCII. */
  constructor(texts: readonly string[]) {
    const random = randomBytes(4 * (codes + 1))
    this.#factor = random.readInt32LE(4 * codes) | 1
    this.#weights = Int32Array.from({ length: codes }, (_, code) => random.readInt32LE(4 * smallOf(code)))
    const small = [...new Set(texts.map((text) => text.toLowerCase()))].map((text) => Buffer.from(text))
    const byLength = Map.groupBy(small, ({ length }) => length)
    this.#lengths = [...byLength].map(([length, same]) => this.#lengthOf(length, same))
    this.longest = Math.max(...byLength.keys())
  }

  /** Finds the texts in characters that end after a place. */
  search(characters: Uint8Array, from: number, onText: OnText): void {
    const hashes = this.#hash(characters)
    for (const texts of this.#lengths) {
      const { length, byHash } = texts
      for (let end = Math.max(from + 1, length); ; end++) {
        end = nextCandidate(hashes, texts, end, characters.length)
        if (end > characters.length) break
        const found = byHash.get(windowHash(hashes, texts, end))
        if (found === undefined) continue
        const small = characters.slice(end - length, end).map(smallOf)
        if (found.some((text) => text.equals(small))) onText(end - length, end)
      }
    }
  }

  #lengthOf(length: number, texts: readonly Buffer[]): Length {
    const hashed = Map.groupBy(texts, (text) => this.#hash(text)[length] ?? 0)
    const filter = new Uint8Array(2 ** filterBits)
    for (const hash of hashed.keys()) filter[hash >>> (32 - filterBits)] = 1
    let power = 1
    for (let count = 0; count < length; count++) power = Math.imul(power, this.#factor)
    return { length, power, byHash: hashed, filter }
  }

  #hash(characters: Uint8Array): Int32Array {
    if (this.#hashes.length <= characters.length) this.#hashes = new Int32Array(2 * characters.length + 1)
    const [hashes, weights, factor] = [this.#hashes, this.#weights, this.#factor]
    let hash = 0
    for (let at = 0; at < characters.length; at++) {
      hash = (Math.imul(hash, factor) + (weights[characters[at] as number] as number)) | 0
      hashes[at + 1] = hash
    }
    return hashes
  }
}

/** The next place behind characters that may be a text. A separate function, because it does most of the work. */
function nextCandidate(hashes: Int32Array, texts: Length, from: number, last: number): number {
  const { length, power, filter } = texts
  for (let end = from; end <= last; end++) {
    const hash = ((hashes[end] as number) - Math.imul(hashes[end - length] as number, power)) | 0
    if (filter[hash >>> (32 - filterBits)] === 1) return end
  }
  return last + 1
}

function windowHash(hashes: Int32Array, { length, power }: Length, end: number): number {
  return ((hashes[end] ?? 0) - Math.imul(hashes[end - length] ?? 0, power)) | 0
}

/** A letter of ASCII in lower case. */
function smallOf(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code
}
