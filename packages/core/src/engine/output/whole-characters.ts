/**
 * How many of the bytes are whole UTF-8 characters: all but the beginning of one at the end, whose rest may still
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
export function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}

/** How many bytes a character has that begins with this one. */
function sequenceLength(firstByte: number): number {
  if (firstByte >= 0b1111_0000) return 4
  if (firstByte >= 0b1110_0000) return 3
  return firstByte >= 0b1100_0000 ? 2 : 1
}
