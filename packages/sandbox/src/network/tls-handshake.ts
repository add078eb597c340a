import { type ClientHello, readClientHello } from './client-hello.ts'
import { Fields, TlsError } from './tls-fields.ts'
import { type RecordJudge, type RecordVerdict, recordType } from './tls-records.ts'

/** Types of messages, and of an extension that only TLS 1.3 has in a ServerHello (RFC 8446, 4 and 4.2.1). */
const clientHello = 1
const serverHello = 2
const supportedVersions = 43

/** No message that is read is longer; a client that shows certificates sends a few kB of them. */
const largestMessage = 65_536
const mostRecords = 32

/** What both directions of a TLS connection know of it. */
interface Handshake {
  /** Set by the ServerHello: from then on the client's next messages pass. */
  version: 'TLS 1.3' | 'older' | undefined
}

/** The judges of both directions of a TLS connection, as long as its handshake can be read. */
export function watchHandshake(requireName: (hello: ClientHello) => void): {
  readonly client: RecordJudge
  readonly server: RecordJudge
} {
  const handshake: Handshake = { version: undefined }
  return { client: new ClientJudge(handshake, requireName), server: new ServerJudge(handshake) }
}

/**
 * Reads every message that a client sends in the clear, because a server that answers the first ClientHello with a HelloRetryRequest
 * uses the name in the second ClientHello (RFC 8446, 4.1.2). In TLS 1.3, all records of the type `handshake` are in the clear, including
 * those after `ChangeCipherSpec` and early data. In earlier versions, records after `ChangeCipherSpec` are encrypted: the first is
 * `Finished`, and any later record would renegotiate for a name that cannot be read.
 */
class ClientJudge implements RecordJudge {
  readonly #handshake: Handshake
  readonly #requireName: (hello: ClientHello) => void
  readonly #messages = new Messages()
  #hasGreeted = false
  #isEncrypted = false
  #hasFinished = false

  constructor(handshake: Handshake, requireName: (hello: ClientHello) => void) {
    this.#handshake = handshake
    this.#requireName = requireName
  }

  judge(type: number): RecordVerdict {
    // A server that does not speak TLS gets nothing more.
    if (this.#hasGreeted && this.#handshake.version === undefined) return 'wait'
    if (type !== recordType.handshake) {
      if (!this.#hasGreeted || this.#messages.isOpen) throw new TlsError('a message of it is cut off')
      if (type === recordType.changeCipherSpec) this.#isEncrypted = this.#handshake.version === 'older'
      return 'pass'
    }
    if (!this.#isEncrypted) return 'read'
    if (this.#hasFinished) throw new TlsError('it is negotiated again')
    this.#hasFinished = true
    return 'pass'
  }

  read(content: Buffer): void {
    for (const { type, content: message } of this.#messages.push(content)) {
      if (type === clientHello) this.#requireName(readClientHello(message))
      else if (this.#handshake.version !== 'older') throw new TlsError('a message of it is not a ClientHello')
      this.#hasGreeted = true
    }
  }
}

/** Reads the first message of a server, and that everything else are records. */
class ServerJudge implements RecordJudge {
  readonly #handshake: Handshake
  readonly #messages = new Messages()

  constructor(handshake: Handshake) {
    this.#handshake = handshake
  }

  judge(type: number): RecordVerdict {
    if (this.#handshake.version !== undefined || type === recordType.alert) return 'pass'
    if (type !== recordType.handshake) throw new TlsError('its first message is not a ServerHello')
    return 'read'
  }

  read(content: Buffer): void {
    const [first] = this.#messages.push(content)
    if (first === undefined) return
    if (first.type !== serverHello) throw new TlsError('its first message is not a ServerHello')
    this.#handshake.version = versionIn(new Fields(first.content))
  }
}

function versionIn(hello: Fields): 'TLS 1.3' | 'older' {
  // Version and random, the id of the session, cipher suite and method of compression.
  hello.take(2 + 32)
  hello.vector(1)
  hello.take(2 + 1)
  const extensions = new Fields(hello.isAtEnd ? Buffer.alloc(0) : hello.vector(2))
  while (!extensions.isAtEnd) {
    const type = extensions.number(2)
    extensions.vector(2)
    if (type === supportedVersions) return 'TLS 1.3'
  }
  return 'older'
}

interface Message {
  readonly type: number
  readonly content: Buffer
}

/** Puts messages together that are in several records. */
class Messages {
  #received: Buffer = Buffer.alloc(0)
  #records = 0

  /** Whether a message is not whole. */
  get isOpen(): boolean {
    return this.#received.length > 0
  }

  /** @returns the messages that are whole now. @throws TlsError */
  push(content: Buffer): Message[] {
    this.#records = this.isOpen ? this.#records + 1 : 1
    if (content.length === 0 || this.#records > mostRecords)
      throw new TlsError('a message is in too many records')
    this.#received = Buffer.concat([this.#received, content])
    const messages: Message[] = []
    while (this.#received.length >= 4) {
      const end = 4 + this.#received.readUIntBE(1, 3)
      if (end > largestMessage) throw new TlsError('a message is too long')
      if (this.#received.length < end) break
      messages.push({ type: this.#received[0] ?? 0, content: this.#received.subarray(4, end) })
      this.#received = this.#received.subarray(end)
    }
    return messages
  }
}
