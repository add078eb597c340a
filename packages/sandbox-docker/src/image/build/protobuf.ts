/** The value of a field: a number, or the bytes of a text or of a message. */
export type FieldValue = number | Uint8Array

/**
 * Takes a message of protocol buffers apart, as far as BuildKit's messages need it (protobuf.dev, "Encoding").
 * Numbers are exact up to 2^53.
 */
export function* readFields(message: Uint8Array): Generator<readonly [field: number, value: FieldValue]> {
  let position = 0
  const readVarint = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = message[position++]
      if (byte === undefined) throw new RangeError('A message of protocol buffers ends too early.')
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (position < message.length) {
    const tag = readVarint()
    const [field, type] = [Math.floor(tag / 8), tag % 8]
    if (type === 0) {
      yield [field, readVarint()]
      continue
    }
    const size = type === 2 ? readVarint() : type === 1 ? 8 : 4
    yield [field, message.subarray(position, position + size)]
    position += size
  }
}

/** A field that holds text. */
export function textField(field: number, text: string): Buffer {
  const value = Buffer.from(text)
  return Buffer.concat([varint(field * 8 + 2), varint(value.length), value])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
  return Buffer.from([...bytes, value])
}

/** The text of a field; empty when the message does not have it. */
export function asText(value: FieldValue | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : ''
}
