import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import * as tls from 'node:tls'
import { readRequests } from './http-requests.fixture.ts'

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

/** A host that keeps the bytes of every connection, and reads them without the parser of Node. */
export class RecordingHost implements AsyncDisposable {
  /** Bytes of each connection. */
  readonly connections: Buffer[] = []
  readonly #server: Server
  readonly #ends: Promise<unknown>[] = []

  /** @param context - for TLS. */
  constructor(context?: tls.SecureContext) {
    const serve = (socket: Socket) => this.#serve(socket)
    this.#server =
      context === undefined
        ? createServer(serve)
        : tls.createServer({ SNICallback: (_, done) => done(null, context) }, serve)
  }

  /** Listens on the loopback. @returns the port */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** Resolves when every connection has ended, so that no more bytes come. */
  async ended(): Promise<void> {
    await Promise.all(this.#ends)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ended()
    this.#server.close()
  }

  #serve(socket: Socket): void {
    const index = this.connections.push(Buffer.alloc(0)) - 1
    let isAnswered = false
    this.#ends.push(new Promise((resolve) => socket.on('error', () => {}).once('close', resolve)))
    socket.on('data', (data: Buffer) => {
      const bytes = Buffer.concat([this.connections[index] ?? Buffer.alloc(0), data])
      this.connections[index] = bytes
      if (isAnswered || !hasRequest(bytes)) return
      isAnswered = true
      // A request behind the first one, which came with it, is recorded before the proxy ends the connection.
      setImmediate(() => socket.write(answer))
    })
  }
}

function hasRequest(bytes: Buffer): boolean {
  const { requests, problem } = readRequests(bytes)
  return requests.length > 0 || problem !== undefined
}
