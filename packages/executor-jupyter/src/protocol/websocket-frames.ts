import { giveBack, type IncomingMessage, peekType } from './incoming-message.ts'
import { type KernelMessage, toMessage } from './message.ts'
import { streamContent } from './stream-content.ts'

/** The subprotocol in which a server hands on a kernel's own bytes, without packing them again. */
export const binaryProtocol = 'v1.kernel.websocket.jupyter.org'

/** Formats of messages in the frames of a WebSocket. */
export interface WebSocketFormat {
  write(message: KernelMessage): string | Buffer
  /** `undefined` when it is no message. */
  read(data: Buffer, isBinary: boolean): KernelMessage | undefined
}

/** What came in a frame of a WebSocket. */
export function framedMessage(protocol: string, data: Buffer, isBinary: boolean): IncomingMessage {
  return {
    byteCount: data.length,
    get type() {
      return peekType(protocol === binaryProtocol ? binaryHeader(data) : data)
    },
    read() {
      const message = webSocketFormat(protocol).read(data, isBinary)
      giveBack(data)
      return message
    },
  }
}

/** The format of a subprotocol that a server has agreed to; without one it is the original, JSON. */
export function webSocketFormat(protocol: string): WebSocketFormat {
  const { write, read } = protocol === binaryProtocol ? binaryFormat : jsonFormat
  return {
    write,
    read(data, isBinary) {
      try {
        return read(data, isBinary)
      } catch {
        // Offsets that lead out of the frame, or what is no JSON.
        return undefined
      }
    },
  }
}

/**
 * A count of offsets, the offsets of channel, header, parent, metadata and content, then these: numbers are
 * 64 bits, little endian.
 *
 * @see https://jupyter-server.readthedocs.io/en/latest/developers/websocket-protocols.html
 */
const binaryFormat: WebSocketFormat = {
  write({ channel, header, parent, metadata, content }) {
    const parts = [channel, ...[header, parent, metadata, content].map((part) => JSON.stringify(part))].map(
      (part) => Buffer.from(part),
    )
    const count = parts.length + 1
    const offsets = Buffer.alloc(8 * (count + 1))
    offsets.writeBigUInt64LE(BigInt(count))
    let offset = offsets.length
    for (const [index, part] of parts.entries()) {
      offsets.writeBigUInt64LE(BigInt(offset), 8 * (index + 1))
      offset += part.length
    }
    offsets.writeBigUInt64LE(BigInt(offset), 8 * count)
    return Buffer.concat([offsets, ...parts])
  },
  read(data) {
    const count = Number(data.readBigUInt64LE())
    if (count > data.length / 8) return undefined
    const offsets = Array.from({ length: count }, (_, index) => Number(data.readBigUInt64LE(8 * (index + 1))))
    const [channel, header, parent, metadata, content] = offsets.map((offset, index) =>
      data.subarray(offset, offsets[index + 1]),
    )
    if (content === undefined) return undefined
    return toMessage({
      channel: String(channel),
      header: JSON.parse(String(header)),
      parent: JSON.parse(String(parent)),
      metadata: JSON.parse(String(metadata)),
      content: streamContent(content) ?? JSON.parse(String(content)),
    })
  },
}

/** The bytes from the header on; none when the frame is too short for one. */
function binaryHeader(data: Buffer): Buffer {
  const place = 8 * 2
  return data.length < place + 8 ? Buffer.alloc(0) : data.subarray(Number(data.readBigUInt64LE(place)))
}

/** A message with binary buffers comes as a count of offsets, the offsets, JSON and buffers: 32 bits, big endian. */
const jsonFormat: WebSocketFormat = {
  write: ({ parent, ...message }) => JSON.stringify({ ...message, parent_header: parent, buffers: [] }),
  read(data, isBinary) {
    const json = isBinary
      ? data.toString(
          'utf8',
          data.readUInt32BE(4),
          data.readUInt32BE() > 1 ? data.readUInt32BE(8) : undefined,
        )
      : data.toString()
    const { channel, header, parent_header: parent, metadata, content } = JSON.parse(json)
    return toMessage({ channel, header, parent, metadata, content })
  },
}
