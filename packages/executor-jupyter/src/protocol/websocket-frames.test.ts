import { describe, expect, test } from 'vitest'
import { type KernelMessage, newRequest } from './message.ts'
import { binaryProtocol, webSocketFormat } from './websocket-frames.ts'

const binary = webSocketFormat(binaryProtocol)
const json = webSocketFormat('')

const message: KernelMessage = {
  ...newRequest('session', { channel: 'shell', type: 'execute_request', content: { code: 'print("ä😀")' } }),
  parent: { msg_id: 'parent' },
  metadata: { tags: ['x'] },
}

describe('the binary format', () => {
  test('is read as it was written', () => {
    const bytes = Buffer.from(binary.write(message))
    expect(binary.read(bytes, true)).toEqual(message)
  })

  test('is that of jupyter_server: 64 bit offsets of six parts, little endian', () => {
    const bytes = Buffer.from(binary.write(message))
    expect(bytes.readBigUInt64LE(0)).toBe(6n)
    expect(bytes.readBigUInt64LE(8)).toBe(56n)
    expect(bytes.toString('utf8', 56, 61)).toBe('shell')
    expect(bytes.readBigUInt64LE(48)).toBe(BigInt(bytes.length))
  })

  test('may have buffers behind the content', () => {
    const plain = Buffer.from(binary.write(message))
    const offsets = Buffer.alloc(8)
    offsets.writeBigUInt64LE(BigInt(plain.length + 8 + 3))
    const count = Buffer.from(plain.subarray(0, 56))
    count.writeBigUInt64LE(7n)
    for (let at = 8; at < 56; at += 8) count.writeBigUInt64LE(count.readBigUInt64LE(at) + 8n, at)
    const withBuffer = Buffer.concat([count, offsets, plain.subarray(56), Buffer.from('abc')])
    expect(binary.read(withBuffer, true)).toEqual(message)
  })

  test('that was cut off anywhere, or is something else, is no message and no exception', () => {
    const bytes = Buffer.from(binary.write(message))
    for (let length = 0; length < bytes.length; length++) {
      expect(binary.read(bytes.subarray(0, length), true)).toBeUndefined()
    }
    for (const other of ['', '{}', 'hello, world', '\xff'.repeat(200)]) {
      expect(binary.read(Buffer.from(other, 'latin1'), true)).toBeUndefined()
    }
  })
})

describe('the JSON format', () => {
  const text = (value: unknown) => Buffer.from(JSON.stringify(value))

  test('is read as it was written', () => {
    expect(json.read(Buffer.from(json.write(message)), false)).toEqual(message)
  })

  test('calls the parent what the protocol calls it', () => {
    expect(JSON.parse(String(json.write(message)))).toMatchObject({
      channel: 'shell',
      parent_header: { msg_id: 'parent' },
      buffers: [],
    })
  })

  test('takes a message without a parent, as a kernel sends on its own', () => {
    const { parent: _, ...orphan } = message
    expect(json.read(text({ ...orphan, parent_header: null }), false)).toEqual({ ...message, parent: {} })
  })

  test.for([[], [Buffer.from('a buffer')], [Buffer.from('one'), Buffer.from('two')]])(
    'is read in front of buffers: %#',
    (buffers) => {
      const parts = [Buffer.from(json.write(message)), ...buffers]
      const head = Buffer.alloc(4 * (parts.length + 1))
      head.writeUInt32BE(parts.length)
      let offset = head.length
      for (const [index, part] of parts.entries()) {
        head.writeUInt32BE(offset, 4 * (index + 1))
        offset += part.length
      }
      expect(json.read(Buffer.concat([head, ...parts]), true)).toEqual(message)
    },
  )

  test('that is something else is no message and no exception', () => {
    for (const other of ['', 'null', '[]', '7', '{', '{"header":{}}', '{"channel":"iopub"}', 'hello']) {
      expect(json.read(Buffer.from(other), false)).toBeUndefined()
      expect(json.read(Buffer.from(other), true)).toBeUndefined()
    }
    expect(json.read(text({ ...message, channel: 'other' }), false)).toBeUndefined()
    expect(json.read(text({ ...message, content: 'text' }), false)).toBeUndefined()
  })
})
