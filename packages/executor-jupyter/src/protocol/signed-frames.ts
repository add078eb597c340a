import { createHmac, timingSafeEqual } from 'node:crypto'
import { giveBack, type IncomingMessage, peekType } from './incoming-message.ts'
import { type Channel, type KernelMessage, toMessage } from './message.ts'
import { streamContent } from './stream-content.ts'

/** Between the routing frames and the message itself. */
const delimiter = Buffer.from('<IDS|MSG>')

/** From how many characters on a part of a message is made bytes once, and not when it is signed and when it is sent. */
const longPart = 2 ** 16

/**
 * The frames of a message on a ZeroMQ socket, signed with the key of the connection (HMAC-SHA256). Short ones are text: the bytes of
 * a buffer belong to ZeroMQ's thread until they are sent, and to give them back it wakes ours.
 */
export function toSignedFrames(message: KernelMessage, key: string): Array<string | Buffer> {
  const { header, parent, metadata, content } = message
  const texts = [header, parent, metadata, content].map((part) => JSON.stringify(part))
  const parts = texts.map((text) => (text.length < longPart ? text : Buffer.from(text)))
  return [delimiter, sign(parts, key), ...parts]
}

/** What came over a ZeroMQ socket. */
export function signedMessage(
  frames: readonly Buffer[],
  from: { channel: Channel; key: string },
): IncomingMessage {
  return {
    byteCount: frames.reduce((sum, { length }) => sum + length, 0),
    get type() {
      const start = frames.findIndex((frame) => frame.equals(delimiter))
      return peekType(frames[start + 2] ?? Buffer.alloc(0))
    },
    read() {
      const message = fromSignedFrames(frames, from)
      frames.forEach(giveBack)
      return message
    },
  }
}

/** The message in frames, or `undefined` when they are none or not signed with this key. */
export function fromSignedFrames(
  frames: readonly Buffer[],
  { channel, key }: { channel: Channel; key: string },
): KernelMessage | undefined {
  const start = frames.findIndex((frame) => frame.equals(delimiter))
  const [signature, ...parts] = frames.slice(start + 1)
  const [header, parent, metadata, content] = parts
  if (start === -1 || signature === undefined || content === undefined) return undefined
  if (!isSignature(signature, sign(parts.slice(0, 4), key))) return undefined
  return toMessage({
    channel,
    header: json(header),
    parent: json(parent),
    metadata: json(metadata),
    content: streamContent(content) ?? json(content),
  })
}

function json(part: Buffer | undefined): unknown {
  try {
    return JSON.parse((part ?? '').toString())
  } catch {
    return undefined
  }
}

function sign(parts: ReadonlyArray<string | Buffer>, key: string): string {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}

function isSignature(given: Buffer, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected))
}
