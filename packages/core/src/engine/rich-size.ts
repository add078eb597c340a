import type { MimeBundle } from '../code-result.ts'

/** Size of a rich result, of each value in it and of each number, in bytes, without text: V8 needs about as much. */
const resultBytes = 256
const valueBytes = 64
const numberBytes = 16

/** How much memory a rich result takes, in bytes: its MIME types and texts as UTF-8, and a constant for each value. */
export function sizeOfResult(bundle: MimeBundle): number {
  let sizeBytes = resultBytes
  // A list instead of a recursion, because a program decides how deep its data is.
  const left: unknown[] = [bundle]
  while (left.length > 0) {
    const value = left.pop()
    sizeBytes += typeof value === 'number' ? numberBytes : valueBytes
    if (typeof value === 'string') sizeBytes += Buffer.byteLength(value)
    if (typeof value !== 'object' || value === null) continue
    const isList = Array.isArray(value)
    for (const [name, item] of Object.entries(value)) {
      if (!isList) sizeBytes += Buffer.byteLength(name)
      left.push(item)
    }
  }
  return sizeBytes
}
