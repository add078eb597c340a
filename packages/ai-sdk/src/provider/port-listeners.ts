import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { Sandbox } from '@fenced/core/sandbox'

/** Ports of a sandbox, each as one of this machine's loopback: the sandbox itself needs no network. */
export class PortListeners implements Disposable {
  readonly #sandbox: Sandbox
  readonly #servers = new Map<number, Promise<Server>>()
  readonly #sockets = new Set<Socket>()

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox
  }

  /** Returns the port of this machine that leads to one of the sandbox. */
  async open(port: number): Promise<number> {
    const server = this.#servers.get(port) ?? this.#listen(port)
    this.#servers.set(port, server)
    return ((await server).address() as AddressInfo).port
  }

  /** New connections are refused; those that are open stay. */
  close(port: number): void {
    void this.#servers.get(port)?.then((server) => server.close())
    this.#servers.delete(port)
  }

  /** Ends the connections as well. */
  [Symbol.dispose](): void {
    for (const server of this.#servers.values()) void server.then((one) => one.close())
    for (const socket of this.#sockets) socket.destroy()
    this.#servers.clear()
  }

  async #listen(port: number): Promise<Server> {
    const server = createServer({ allowHalfOpen: true }, (socket) => void this.#pass(socket, port))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }

  async #pass(socket: Socket, port: number): Promise<void> {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {})
    try {
      await pipeline(socket, await this.#sandbox.connect(port), socket)
    } catch {
      // The other side sees that its connection is cut, and may try again.
      socket.destroy()
    }
  }
}
