import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { apiAddress } from './kubeconfig.ts'

/** Between a client and the API server: what is cut here is cut for both. */
export class Between {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #port = 0
  #isSilent = false
  /** How many connections were made. */
  made = 0

  static async open(): Promise<Between> {
    const between = new Between()
    await between.answer()
    return between
  }

  private constructor() {
    this.#server = createServer((client) => {
      this.made++
      const upstream = connect(apiAddress())
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#sockets.delete(socket)
          client.destroy()
          upstream.destroy()
        })
      }
      if (!this.#isSilent) client.pipe(upstream).pipe(client)
    })
  }

  get address(): string {
    return `https://127.0.0.1:${this.#port}`
  }

  /** Ends every connection, as a server on the way that restarts. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Passes nothing on any more, and says nothing, as a network that loses every packet. */
  silence(): void {
    this.#isSilent = true
    for (const socket of this.#sockets) socket.unpipe().pause()
  }

  /** Serves new connections again; those before stay silent. */
  speak(): void {
    this.#isSilent = false
  }

  /** Nothing listens any more. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.cut()
    await closed
  }

  /** It listens, at the address that it had. */
  async answer(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.refuse()
  }
}
