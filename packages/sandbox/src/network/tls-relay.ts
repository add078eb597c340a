import type { Duplex } from 'node:stream'
import type { OutgoingConnection } from './outgoing-connection.ts'
import { Refusal } from './proxied-request.ts'
import { requireServerName } from './sniff-protocol.ts'
import { TlsError } from './tls-fields.ts'
import { watchHandshake } from './tls-handshake.ts'
import { TlsRecords } from './tls-records.ts'

/**
 * Relays only TLS between a program and a host. Each direction ends on its own.
 *
 * @param data - the first bytes of the program.
 * @returns when the program has ended the connection.
 * @throws Refusal when the program or the host sends something else, or the program names another server.
 */
export async function relayTls(program: Duplex, connection: OutgoingConnection, data: Buffer): Promise<void> {
  const { socket, destination } = connection
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const { client, server } = watchHandshake((hello) => requireServerName(hello, destination))
  const sent = new Flow(program, socket, new TlsRecords(client))
  const received = new Flow(socket, program, new TlsRecords(server))
  const end = () => {
    if (!socket.readableEnded) program.destroy()
  }
  const refuse = (refusal: unknown) => {
    sent.stop()
    received.stop()
    socket.off('close', end)
    reject(refusal)
  }
  sent.start((error) => refuse(refusalFor(error, 403, 'the program does not send TLS')))
  received.start(
    (error) => refuse(refusalFor(error, 502, 'the host does not answer with TLS')),
    () => sent.proceed(),
  )
  sent.pass(data)
  connection.count()
  program.once('close', () => {
    socket.destroySoon()
    resolve()
  })
  socket.once('close', end)
  await promise
}

function refusalFor(error: unknown, status: number, what: string): unknown {
  return error instanceof TlsError ? new Refusal(status, `${what}: ${error.message}`) : error
}

/** One direction of a connection. */
class Flow {
  readonly #from: Duplex
  readonly #to: Duplex
  readonly #records: TlsRecords
  #onError: (error: unknown) => void = () => {}
  #hasEnded = false
  #isStopped = false

  constructor(from: Duplex, to: Duplex, records: TlsRecords) {
    this.#from = from
    this.#to = to
    this.#records = records
  }

  /** @param onPassed - called when something was passed on. */
  start(onError: (error: unknown) => void, onPassed: () => void = () => {}): void {
    this.#onError = onError
    this.#from.on('data', (chunk: Buffer) => {
      this.pass(chunk)
      onPassed()
    })
    this.#from.once('end', () => {
      this.#hasEnded = true
      if (!this.#records.isWaiting) this.#to.end()
    })
    this.#from.resume()
  }

  /** Passes on what may be passed on of more bytes, and of those before. */
  pass(chunk: Buffer): void {
    if (this.#isStopped) return
    try {
      const bytes = this.#records.push(chunk)
      const hasRoom = bytes.length === 0 || this.#to.write(bytes)
      if (!hasRoom) this.#to.once('drain', () => this.#from.resume())
      if (!hasRoom || this.#records.isWaiting) this.#from.pause()
    } catch (error) {
      this.#onError(error)
    }
  }

  /** Passes on what has waited, if it may be passed on now. */
  proceed(): void {
    if (!this.#records.isWaiting) return
    this.pass(Buffer.alloc(0))
    if (this.#records.isWaiting) return
    if (this.#hasEnded) this.#to.end()
    else if (!this.#to.writableNeedDrain) this.#from.resume()
  }

  stop(): void {
    this.#isStopped = true
  }
}
