import { Transform, type TransformCallback } from 'node:stream'

const mask = 0x2a

/**
 * Puts `*` over texts in bytes, whatever the case of their letters, and leaves the length of all as it is. The end of a chunk is held back
 * only while it could be the beginning of one.
 */
export class MaskStream extends Transform {
  readonly #texts: readonly string[]
  /** The end of what came, as it came, and with what was found in it masked. */
  #held: Buffer = Buffer.alloc(0)
  #heldMasked: Buffer = Buffer.alloc(0)

  /** @param texts - of ASCII. */
  constructor(texts: readonly string[]) {
    super()
    this.#texts = texts.map((text) => text.toLowerCase())
  }

  override _transform(chunk: Buffer, _encoding: string, callback: TransformCallback): void {
    const came = Buffer.concat([this.#held, chunk])
    const masked = Buffer.concat([this.#heldMasked, chunk])
    const words = lowerCase(came)
    for (const text of this.#texts) maskText(masked, words, text)
    const open = this.#openEnd(words)
    this.#held = Buffer.from(came.subarray(open))
    this.#heldMasked = Buffer.from(masked.subarray(open))
    callback(null, masked.subarray(0, open))
  }

  override _flush(callback: TransformCallback): void {
    callback(null, this.#heldMasked)
  }

  /** Where the end begins that could grow into one of the texts. */
  #openEnd(words: string): number {
    let open = words.length
    for (const text of this.#texts) {
      for (let start = Math.max(0, words.length - text.length + 1); start < open; start++) {
        if (words[start] === text[0] && text.startsWith(words.slice(start))) open = start
      }
    }
    return open
  }
}

/** The same for a text that is whole. */
export function masked(given: string, texts: readonly string[]): string {
  const bytes = Buffer.from(given, 'latin1')
  const words = lowerCase(bytes)
  for (const text of texts) maskText(bytes, words, text.toLowerCase())
  return bytes.toString('latin1')
}

function maskText(bytes: Buffer, words: string, text: string): void {
  for (let at = words.indexOf(text); at !== -1; at = words.indexOf(text, at + 1))
    bytes.fill(mask, at, at + text.length)
}

/** As long as the bytes: no letter of Latin-1 has a small one of another length. */
function lowerCase(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase()
}
