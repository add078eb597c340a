import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { EngineAccess } from '../../engine/connect-engine.ts'

/**
 * A socket of this machine behind which the engine is: so a command reaches it the way that we do, whether that is a
 * socket, TLS or ssh.
 */
export class EngineRelay implements AsyncDisposable {
  /** As for `DOCKER_HOST`. */
  readonly address: string
  /** What kept a connection from being made, or ended it before the engine answered: the first one. */
  error: unknown
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  /** @param folder - a private one, in which the socket is made. */
  static async open(engine: Pick<EngineAccess, 'connect'>, folder: string): Promise<EngineRelay> {
    const isWindows = process.platform === 'win32'
    const path = isWindows ? `\\\\.\\pipe\\${basename(folder)}` : join(folder, 'engine.sock')
    const address = isWindows ? `npipe:////./pipe/${basename(folder)}` : `unix://${path}`
    const relay = new EngineRelay(engine, address)
    relay.#server.listen(path)
    await once(relay.#server, 'listening')
    return relay
  }

  private constructor(engine: Pick<EngineAccess, 'connect'>, address: string) {
    this.address = address
    this.#server = createServer({ allowHalfOpen: true }, (socket) => void this.#relay(engine, socket))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #relay(engine: Pick<EngineAccess, 'connect'>, socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    const connection = engine.connect()
    const both = Promise.all([pipeline(socket, connection), pipeline(connection, socket)])
    let isAnswered = false
    connection.once('data', () => {
      isAnswered = true
    })
    connection.once('error', (error) => {
      if (!isAnswered) this.error ??= error
    })
    // What ends one of the two early shows in what the command makes of it.
    await both.catch(() => {})
    connection.destroy()
    socket.destroy()
    this.#sockets.delete(socket)
  }
}
