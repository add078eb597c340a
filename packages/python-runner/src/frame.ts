/** Letter and length. */
export const headerSize = 5

/** Separates the parts of a frame. */
const separator = '\0'

/** A frame for the runner. */
export function encodeFrame(kind: string, parts: readonly string[]): Buffer {
  const body = Buffer.from(parts.join(separator))
  const header = Buffer.alloc(headerSize)
  header.write(kind, 'latin1')
  header.writeUInt32BE(body.length, 1)
  return Buffer.concat([header, body])
}

/** The parts of what came in a frame. */
export function partsOf(body: Uint8Array): string[] {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString().split(separator)
}
