import { escapeSigns, readEscape } from './escapes.ts'

const mask = 0x2a

/** Texts of which the beginning was read up to the same place: a number for text and count, and where the first of them begins. */
type Readings = Map<number, number>

/** Longer than each text. */
const longestText = 2 ** 16

/**
 * Puts `*` over texts in bytes, in upper or lower case, also where characters of them are escaped in a way that `readEscape` knows, and
 * keeps the length. The end of the bytes is held back while it could be the beginning of a text.
 */
export class SecretMask {
  readonly #texts: readonly string[]
  /** By byte: the texts that begin with it. */
  readonly #beginnings: (readonly number[] | undefined)[] = []
  /** The held back bytes, in lower case, and as they were received. */
  #words = ''
  #masked: Buffer = Buffer.alloc(0)
  /** The first of them that was not read. */
  #at = 0
  /** By the place where they continue. */
  #readings = new Map<number, Readings>()

  /** @param texts - of ASCII. */
  constructor(texts: readonly string[]) {
    this.#texts = texts.map((text) => text.toLowerCase())
    for (const sign of escapeSigns) this.#beginnings[sign.charCodeAt(0)] = []
    for (const [index, text] of this.#texts.entries()) {
      const code = text.charCodeAt(0)
      this.#beginnings[code] = [...(this.#beginnings[code] ?? []), index]
    }
  }

  /** Takes more bytes, and returns those that may be passed on. @param isEnd - whether they are the last ones. */
  push(chunk: Buffer, isEnd = false): Buffer {
    // No letter of Latin-1 has a small one of another length.
    this.#words += chunk.toString('latin1').toLowerCase()
    this.#masked = Buffer.concat([this.#masked, chunk])
    while (this.#at < this.#words.length && this.#read(isEnd)) this.#at++
    return this.#release(isEnd ? this.#at : this.#heldFrom())
  }

  /** Reads the character at one place. @returns whether it is whole */
  #read(isEnd: boolean): boolean {
    const at = this.#at
    const code = this.#words.charCodeAt(at)
    const readings = this.#readings.size === 0 ? undefined : this.#readings.get(at)
    if (readings === undefined && this.#beginnings[code] === undefined) return true
    const escaped = escapeSigns.includes(this.#words[at] ?? '')
      ? readEscape(this.#words, at, isEnd)
      : undefined
    if (escaped === 'incomplete') return false
    this.#continue(readings, code, at + 1)
    if (escaped !== undefined) this.#continue(readings, escaped.code, at + escaped.length)
    this.#readings.delete(at)
    return true
  }

  /** Reads a character that ends at a place, as the next one of texts or as their first one. */
  #continue(readings: Readings | undefined, code: number, end: number): void {
    for (const text of this.#beginnings[code] ?? []) this.#add(text * longestText, this.#at, end)
    for (const [reading, start] of readings ?? []) {
      const text = this.#texts[Math.floor(reading / longestText)] ?? ''
      if (text.charCodeAt(reading % longestText) === code) this.#add(reading, start, end)
    }
  }

  /** Adds a reading that has one character more, unless it is the whole text, or the next byte cannot continue it. */
  #add(reading: number, start: number, end: number): void {
    const text = this.#texts[Math.floor(reading / longestText)] ?? ''
    const count = (reading % longestText) + 1
    if (count === text.length) {
      this.#masked.fill(mask, start, end)
      return
    }
    const next = this.#words[end]
    if (next !== undefined && next !== text[count] && !escapeSigns.includes(next)) return
    const there: Readings = this.#readings.get(end) ?? new Map()
    this.#readings.set(end, there)
    there.set(reading + 1, Math.min(start, there.get(reading + 1) ?? start))
  }

  #heldFrom(): number {
    const starts = [...this.#readings.values()].flatMap((readings) => [...readings.values()])
    return starts.reduce((least, start) => Math.min(least, start), this.#at)
  }

  #release(count: number): Buffer {
    const released = this.#masked.subarray(0, count)
    this.#words = this.#words.slice(count)
    this.#masked = Buffer.from(this.#masked.subarray(count))
    this.#at -= count
    const moved = (readings: Readings) => new Map([...readings].map(([key, start]) => [key, start - count]))
    this.#readings = new Map([...this.#readings].map(([at, readings]) => [at - count, moved(readings)]))
    return released
  }
}
