import { Fields, TlsError } from './tls-fields.ts'

/** What the first message of a TLS client says in the clear about the server that it wants. */
export interface ClientHello {
  /** `undefined` where it names none. */
  readonly serverName: string | undefined
  /** Whether another name may be in it, encrypted (ECH). */
  readonly isEncrypted: boolean
}

/** No client needs as much; Node's own limit for a record is 16 KiB and a little. */
const largestHello = 65_536
/** Clients use one record, and a few to get past filters. */
const mostRecords = 32

/** The type of a record and of a message in it, and of extensions (RFC 8446 and 6066; RFC 9849 for ECH). */
const handshake = 22
const clientHello = 1
const serverNameExtension = 0
const encryptedHelloExtension = 0xfe0d
const hostNameType = 0

const headerSize = 5

/** Reads the beginning of a TLS connection while it comes: each record once, and few of them. */
export class ClientHelloReader {
  /** Larger than the received bytes, to leave room for more. */
  #memory: Buffer = Buffer.alloc(0)
  #length = 0
  /** The beginning of the first record that is not whole. */
  #next = 0
  #records = 0
  #content: Buffer = Buffer.alloc(0)

  /** All bytes that came. */
  get data(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  /**
   * Takes more bytes.
   *
   * @returns `undefined` while the message is not whole.
   * @throws TlsError
   */
  push(chunk: Buffer): ClientHello | undefined {
    this.#append(chunk)
    for (let record = this.#record(); record !== undefined; record = this.#record()) {
      this.#records++
      this.#content = Buffer.concat([this.#content, record])
      const message = messageIn(this.#content)
      if (message !== undefined) return readClientHello(message)
    }
    return undefined
  }

  /** Doubles the memory where it is full, so that bytes are not copied for each piece that comes. */
  #append(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (length > this.#memory.length) this.#memory = Buffer.concat([this.data], 2 * length)
    this.#memory.set(chunk, this.#length)
    this.#length = length
  }

  /** The content of the next record, once it is whole. */
  #record(): Buffer | undefined {
    const { data } = this
    const begin = this.#next + headerSize
    if (data.length < begin) return undefined
    const length = data.readUInt16BE(begin - 2)
    if (data[this.#next] !== handshake || data[this.#next + 1] !== 3 || length === 0)
      throw new TlsError('it is not TLS')
    if (this.#records === mostRecords) throw new TlsError('its first message is in too many records')
    if (this.#content.length + length > largestHello) throw new TlsError('its first message is too long')
    if (data.length < begin + length) return undefined
    this.#next = begin + length
    return data.subarray(begin, this.#next)
  }
}

/** The first message of what was received; `undefined` while it is incomplete. The record ends with it. */
function messageIn(received: Buffer): Buffer | undefined {
  if (received.length < 4) return undefined
  if (received[0] !== clientHello) throw new TlsError('its first message is not a ClientHello')
  const end = 4 + received.readUIntBE(1, 3)
  if (end > largestHello) throw new TlsError('its first message is too long')
  if (received.length > end) throw new TlsError('its first message shares a record with another message')
  return received.length < end ? undefined : received.subarray(4, end)
}

/** Reads the content of a ClientHello. @throws TlsError */
export function readClientHello(content: Buffer): ClientHello {
  const hello = new Fields(content)
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
    if (seen.has(type)) throw new TlsError('it has an extension twice')
    seen.add(type)
    if (type === serverNameExtension) serverName = nameIn(new Fields(new Fields(content).vector(2)))
  }
  return { serverName, isEncrypted: seen.has(encryptedHelloExtension) }
}

function nameIn(names: Fields): string {
  const type = names.number(1)
  const name = names.vector(2).toString('latin1')
  if (type !== hostNameType || !names.isAtEnd) throw new TlsError('it names more than one server')
  return name
}
