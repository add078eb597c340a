/** What the first message of a TLS client says in the clear about the server that it wants. */
export interface ClientHello {
  /** `undefined` where it names none. */
  readonly serverName: string | undefined
  /** Whether another name may be in it, encrypted (ECH). */
  readonly isEncrypted: boolean
}

/** A message of a TLS client that is none, or that servers may read in more than one way. */
export class ClientHelloError extends Error {}

/** No client needs as much; Node's own limit for a record is 16 KiB and a little. */
const largestHello = 65_536

/** The type of a record and of a message in it, and of extensions (RFC 8446 and 6066; RFC 9849 for ECH). */
const handshake = 22
const clientHello = 1
const serverNameExtension = 0
const encryptedHelloExtension = 0xfe0d
const hostNameType = 0

/**
 * Reads the beginning of what a TLS client sends.
 *
 * @returns `undefined` while more of it is needed.
 * @throws ClientHelloError
 */
export function readClientHello(data: Buffer): ClientHello | undefined {
  const message = messageIn(data)
  return message === undefined ? undefined : readMessage(new Fields(message))
}

/** The first message, out of one record or several; `undefined` while it is not whole. */
function messageIn(data: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  let at = 0
  let size = 0
  while (data.length >= at + 5) {
    const length = data.readUInt16BE(at + 3)
    if (data[at] !== handshake || data[at + 1] !== 3 || length === 0)
      throw new ClientHelloError('it is not TLS')
    if (size + length > largestHello) throw new ClientHelloError('its first message is too long')
    if (data.length < at + 5 + length) return undefined
    parts.push(data.subarray(at + 5, at + 5 + length))
    size += length
    at += 5 + length
    const received = Buffer.concat(parts)
    if (received.length < 4) continue
    if (received[0] !== clientHello) throw new ClientHelloError('its first message is no ClientHello')
    const end = 4 + received.readUIntBE(1, 3)
    if (end > largestHello) throw new ClientHelloError('its first message is too long')
    if (received.length >= end) return received.subarray(4, end)
  }
  return undefined
}

function readMessage(hello: Fields): ClientHello {
  // Version and random.
  hello.take(2 + 32)
  // The id of a session, cipher suites, methods of compression.
  hello.vector(1)
  hello.vector(2)
  hello.vector(1)
  const extensions = hello.isAtEnd ? undefined : new Fields(hello.vector(2))
  const seen = new Set<number>()
  let serverName: string | undefined
  while (extensions !== undefined && !extensions.isAtEnd) {
    const type = extensions.number(2)
    const content = extensions.vector(2)
    // Which of two counts is up to the server.
    if (seen.has(type)) throw new ClientHelloError('it has an extension twice')
    seen.add(type)
    if (type === serverNameExtension) serverName = nameIn(new Fields(new Fields(content).vector(2)))
  }
  return { serverName, isEncrypted: seen.has(encryptedHelloExtension) }
}

function nameIn(names: Fields): string {
  const type = names.number(1)
  const name = names.vector(2).toString('latin1')
  if (type !== hostNameType || !names.isAtEnd) throw new ClientHelloError('it names more than one server')
  return name
}

/** Takes one field after the other. */
class Fields {
  readonly #data: Buffer
  #at = 0

  constructor(data: Buffer) {
    this.#data = data
  }

  get isAtEnd(): boolean {
    return this.#at === this.#data.length
  }

  take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#data.length) throw new ClientHelloError('its first message is cut off')
    const taken = this.#data.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  number(size: number): number {
    return this.take(size).readUIntBE(0, size)
  }

  /** With its length before it. */
  vector(sizeOfLength: number): Buffer {
    return this.take(this.number(sizeOfLength))
  }
}
