import type { AddressInfo, Server, Socket } from 'node:net'

/** Servers on the loopback interface of this machine. */
export class LoopbackServers implements AsyncDisposable {
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()

  async listen(server: Server): Promise<number> {
    this.#servers.push(server)
    server.on('connection', (socket) => this.#sockets.add(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))))
  }
}
