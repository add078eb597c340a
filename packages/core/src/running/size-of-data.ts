/** Approximate memory of V8 for each value and each number, in bytes, without text. */
const valueBytes = 64
const numberBytes = 16

/** Returns the memory of plain data, in bytes: its names and texts as UTF-8, and a constant for each value. */
export function sizeOfData(data: unknown): number {
  let sizeBytes = 0
  // A list instead of a recursion, because a program decides how deep its data is.
  const left: unknown[] = [data]
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
