import { once } from 'node:events'
import { rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What becomes of a connection, after so many bytes in one direction. */
export interface Fault {
  readonly kind: 'cut' | 'stall'
  readonly direction: 'to the engine' | 'from the engine'
  readonly afterBytes: number
}

/** A socket that leads to an engine's socket, and does not always do it well. */
export class FaultyProxy implements AsyncDisposable {
  readonly path = join(tmpdir(), `fenced-proxy-${process.pid}-${Math.random().toString(36).slice(2)}.sock`)
  /** What happens to the connections from now on. */
  fault: Fault | undefined
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()

  private constructor(enginePath: string) {
    this.#server = net.createServer((client) => {
      const engine = net.connect(enginePath)
      for (const socket of [client, engine]) {
        this.#sockets.add(socket)
        socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
      }
      this.#forward('to the engine', client, engine)
      this.#forward('from the engine', engine, client)
    })
  }

  static async open(enginePath: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(enginePath)
    proxy.#server.listen(proxy.path)
    await once(proxy.#server, 'listening')
    return proxy
  }

  #forward(direction: Fault['direction'], from: net.Socket, to: net.Socket): void {
    let count = 0
    from.on('data', (chunk) => {
      count += chunk.length
      const fault = this.fault
      if (fault?.direction !== direction || count <= fault.afterBytes) {
        if (!to.write(chunk)) from.pause()
      } else if (fault.kind === 'cut') for (const socket of [from, to]) socket.destroy()
      // Else it is lost on the way; who does not read does not see the other go.
    })
    to.on('drain', () => from.resume())
    from.on('close', () => to.destroySoon())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    rmSync(this.path, { force: true })
  }
}
