import { isUtf8 } from 'node:buffer'

/** The content of a `stream` message. */
export interface StreamContent {
  readonly name: 'stdout' | 'stderr'
  /** In UTF-8, until the next message is read. */
  readonly text: Uint8Array
}

/** What stands before the text in the JSON that Python writes. */
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

/** What follows a backslash in JSON, and what both are. */
const escapes = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, character]) => [letter.charCodeAt(0), character.charCodeAt(0)],
  ),
)

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
function unescaped(escaped: Uint8Array): Uint8Array | undefined {
  const { length } = escaped
  const text = length > scratch.length ? new Uint8Array(length) : scratch
  let end = 0
  for (let at = 0; at < length; at++) {
    let byte = escaped[at] as number
    if (byte === quote || byte < 0x20) return undefined
    if (byte === backslash) {
      const letter = escaped[++at] ?? 0
      const character = letter === letterU ? asciiOf(escaped, at + 1) : escapes.get(letter)
      if (character === undefined) return undefined
      if (letter === letterU) at += 4
      byte = character
    }
    text[end++] = byte
  }
  return text.subarray(0, end)
}

/** The ASCII character that four hexadecimal digits name. */
function asciiOf(escaped: Uint8Array, at: number): number | undefined {
  const digits = String.fromCharCode(...escaped.subarray(at, at + 4))
  if (!/^00[0-7][0-9a-f]$/i.test(digits)) return undefined
  return Number.parseInt(digits, 16)
}
