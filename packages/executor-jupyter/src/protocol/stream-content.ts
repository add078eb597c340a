import { isUtf8 } from 'node:buffer'

/** The content of a `stream` message. */
export interface StreamContent {
  readonly name: 'stdout' | 'stderr'
  /** In UTF-8, until the next message is read. */
  readonly text: Uint8Array
}

/** Beginning of the JSON that Python writes, up to the text. */
const start = /^\{"name": ?"(stdout|stderr)", ?"text": ?"/
/** How long that is at most. */
const startBytes = 32
const ending = Buffer.from('"}')

/**
 * Where the text is put together: memory for each one would be collected late. A paced kernel sends two pieces of 2^16
 * characters in a message at most.
 */
const scratch = new Uint8Array(4 * 2 ** 17)

const quote = 0x22
const backslash = 0x5c
const letterU = 0x75

/** Values of JSON escapes, by the byte after the backslash. */
const escapes: readonly (number | undefined)[] = Array.from({ length: 256 }, (_, letter) => {
  const index = '"\\/bfnrt'.indexOf(String.fromCharCode(letter))
  return index === -1 ? undefined : '"\\/\b\f\n\r\t'.charCodeAt(index)
})
/** How far something is that is looked at byte by byte. */
const shortBytes = 32

/**
 * The content of a `stream` message without making strings of it, which V8 collects only when there are some ten
 * mebibytes of them: most of a flood is counted and dropped. `undefined` when it is in another form, or has characters
 * in an escaped form that ipykernel does not use; then it has to be read as any JSON.
 */
export function streamContent(json: Buffer): StreamContent | undefined {
  const head = start.exec(json.toString('latin1', 0, startBytes))
  const end = json.length - ending.length
  if (head === null || end < head[0].length || !json.subarray(end).equals(ending)) return undefined
  const text = isUtf8(json) ? unescaped(json.subarray(head[0].length, end)) : undefined
  return text === undefined ? undefined : { name: head[1] as StreamContent['name'], text }
}

/** The inside of a JSON string, or `undefined` when it is none or has an escaped character beyond ASCII. */
function unescaped(escaped: Buffer): Uint8Array | undefined {
  const { length } = escaped
  const text = length > scratch.length ? new Uint8Array(length) : scratch
  let end = 0
  let at = 0
  let nextQuote = positionOf(quote, escaped, 0)
  for (;;) {
    const next = positionOf(backslash, escaped, at)
    if (nextQuote < next) return undefined
    // A short piece is copied sooner than it is asked for.
    if (next - at > shortBytes) text.set(escaped.subarray(at, next), end)
    else
      for (let offset = 0; offset < next - at; offset++) text[end + offset] = escaped[at + offset] as number
    end += next - at
    if (next === length) return text.subarray(0, end)
    const letter = escaped[next + 1]
    const character = letter === letterU ? asciiOf(escaped, next + 2) : escapes[letter ?? 0]
    if (character === undefined) return undefined
    text[end++] = character
    at = next + (letter === letterU ? 6 : 2)
    if (letter === quote) nextQuote = positionOf(quote, escaped, at)
  }
}

/** Where a byte is next, or the end: first by looking, since in many short lines it is near. */
function positionOf(byte: number, bytes: Buffer, from: number): number {
  const near = Math.min(from + shortBytes, bytes.length)
  for (let at = from; at < near; at++) if (bytes[at] === byte) return at
  const far = bytes.indexOf(byte, near)
  return far === -1 ? bytes.length : far
}

/** The ASCII character that four hexadecimal digits name. */
function asciiOf(escaped: Buffer, at: number): number | undefined {
  const digits = String.fromCharCode(...escaped.subarray(at, at + 4))
  if (!/^00[0-7][0-9a-f]$/i.test(digits)) return undefined
  return Number.parseInt(digits, 16)
}
