import { types } from 'node:util'
import { bytesOfBase64 } from '@fenced/shared'

/** Longer ones are infinite as numbers, and are refused as such. */
const isInteger = /^-?\d{16,309}$/

/** Bytes in JSON: an object with this one key, and base64. */
const bytesKey = '$bytes'

/** JSON of a value, where a `Uint8Array` is `{ "$bytes": base64 }`. @throws Error for what is no JSON. */
export function jsonText(value: unknown): string {
  // A Buffer has become plain data before a replacer sees it, unless it is taken from its holder.
  const text = JSON.stringify(value ?? null, function (this: Record<string, unknown>, key, plain) {
    const own = this[key]
    if (types.isUint8Array(own)) return toBytes(own)
    if (typeof plain === 'number' && !Number.isFinite(plain)) throw new Error(`${plain} is not JSON`)
    if (typeof plain === 'bigint') return exactNumber(plain)
    return plain
  }) as string | undefined
  if (text === undefined) throw new Error(`a ${typeof value} is not JSON`)
  return text
}

/**
 * The value of JSON, with bytes as `Uint8Array`, and an integer beyond 2^53, which no number holds, as `bigint`.
 *
 * @throws SyntaxError
 */
export function jsonValue(text: string): unknown {
  return JSON.parse(text, (key, value: unknown, { source = '' }: { source?: string } = {}) => {
    if (typeof value === 'number' && !Number.isSafeInteger(value) && isInteger.test(source))
      return BigInt(source)
    return key === '__proto__' ? undefined : bytesOf(value)
  })
}

function bytesOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return bytesIn(value) ?? value
}

/** Bytes as they are in JSON. */
export function toBytes(bytes: Uint8Array): object {
  return { [bytesKey]: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') }
}

/** The bytes of an object that is {@link toBytes}; `undefined` for any other object, also where its text is not base64. */
export function bytesIn(value: object): Uint8Array | undefined {
  const [[key, text] = [], ...others] = Object.entries(value)
  const isBytes = key === bytesKey && typeof text === 'string' && others.length === 0
  const bytes = isBytes ? bytesOfBase64(text) : undefined
  return bytes === undefined ? undefined : new Uint8Array(bytes)
}

/** JSON has integers of any size, and many readers, JavaScript among them, make other integers of large ones. */
function exactNumber(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new Error(`${value} is an integer beyond 2^53: pass it as a text`)
  return number
}
