import { randomUUID } from 'node:crypto'

/** The sockets of a kernel that carry messages. */
export type Channel = 'shell' | 'control' | 'iopub' | 'stdin'

/** Sender and type of a message. */
interface MessageHeader {
  readonly msg_id: string
  readonly msg_type: string
  /** Session of the sender. A restarted kernel has a different session. */
  readonly session: string
  readonly username: string
  readonly date: string
  readonly version: string
}

/**
 * A message of the Jupyter protocol 5, without the frames of a transport.
 *
 * @see https://jupyter-client.readthedocs.io/en/stable/messaging.html
 */
export interface KernelMessage {
  readonly channel: Channel
  readonly header: MessageHeader
  /** Header of the request that this message answers; empty for other messages. */
  readonly parent: Partial<MessageHeader>
  readonly metadata: Readonly<Record<string, unknown>>
  /** The `text` of a stream may be bytes, until the next message is read: see `streamContent`. */
  readonly content: Readonly<Record<string, unknown>>
}

export interface Request {
  readonly channel: 'shell' | 'control' | 'stdin'
  readonly type: string
  readonly content: Readonly<Record<string, unknown>>
}

/** Creates a request with a new header. */
export function newRequest(session: string, { channel, type, content }: Request): KernelMessage {
  const header: MessageHeader = {
    msg_id: randomUUID(),
    msg_type: type,
    session,
    username: 'fenced',
    date: new Date().toISOString(),
    version: '5.3',
  }
  return { channel, header, parent: {}, metadata: {}, content }
}

/** Checks the parts of a message. @returns `undefined` for an invalid message. */
export function toMessage(parts: Readonly<Record<keyof KernelMessage, unknown>>): KernelMessage | undefined {
  const { channel, header, parent, metadata, content } = parts
  if (!isChannel(channel) || !isObject(header) || !isObject(content)) return undefined
  return {
    channel,
    header: header as unknown as MessageHeader,
    parent: isObject(parent) ? parent : {},
    metadata: isObject(metadata) ? metadata : {},
    content,
  }
}

function isChannel(value: unknown): value is Channel {
  return value === 'shell' || value === 'control' || value === 'iopub' || value === 'stdin'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
