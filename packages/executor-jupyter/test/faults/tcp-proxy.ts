import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface ProxyTarget {
  readonly host: string
  readonly port: number
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  isSwallowing: boolean
  /** What the server has sent since {@link TcpProxy.hold}. */
  readonly held: Buffer[]
}

/** Stands between a client and a server, and does to their connections what neither does on demand. */
export class TcpProxy implements Disposable {
  /** How many WebSockets there have been. */
  webSocketCount = 0
  /** How often something came over WebSockets from the client and from the server. */
  readonly webSocketChunks = { client: 0, server: 0 }
  /** What did not go through while it was frozen, in any direction. */
  swallowed = ''
  /** A WebSocket on which nothing comes for this time is ended. */
  idleMs: number | undefined
  readonly #target: ProxyTarget
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #isFrozen = false
  #isHolding = false
  #isRefusing = false

  private constructor(target: ProxyTarget) {
    this.#target = target
    this.#server = createServer((client) => this.#accept(client))
  }

  static async start(target: ProxyTarget): Promise<TcpProxy> {
    const proxy = new TcpProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends all connections that there are. */
  cut(by: 'end' | 'reset'): void {
    for (const { client, server } of this.#pairs) {
      if (by === 'end') client.destroySoon()
      else client.resetAndDestroy()
      server.destroy()
    }
  }

  /** From now on nothing goes in any direction, and all connections stay open, new ones too. */
  freeze(): void {
    this.#isFrozen = true
    for (const pair of this.#pairs) pair.isSwallowing = true
  }

  /** Only new connections go through again: what was swallowed stays so. */
  thaw(): void {
    this.#isFrozen = false
  }

  /** Goes on with all connections, without what came meanwhile: a message is whole or is not there. */
  goOn(): void {
    this.thaw()
    for (const pair of this.#pairs) pair.isSwallowing = false
  }

  /** From now on what the server sends stays here. */
  hold(): void {
    this.#isHolding = true
  }

  /** What stays here, of all connections. */
  get held(): string {
    return [...this.#pairs].map(({ held }) => Buffer.concat(held).toString('latin1')).join('')
  }

  /** Hands on what stayed here, at once. */
  release(): void {
    this.#isHolding = false
    for (const { client, held } of this.#pairs) client.write(Buffer.concat(held.splice(0)))
  }

  /** From now on every connection is reset at once. */
  refuse(): void {
    this.#isRefusing = true
    this.cut('reset')
  }

  accept(): void {
    this.#isRefusing = false
  }

  #accept(client: Socket): void {
    client.on('error', () => {})
    if (this.#isRefusing) {
      client.resetAndDestroy()
      return
    }
    const server = connect(this.#target)
    server.on('error', () => client.destroy())
    const pair: Pair = { client, server, isSwallowing: this.#isFrozen, held: [] }
    this.#pairs.add(pair)
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (bytes) => {
        if (pair.isSwallowing) this.swallowed += bytes.toString('latin1')
        else if (this.#isHolding && from === server) pair.held.push(bytes)
        else if (!to.destroyed) to.write(bytes)
      })
      from.on('close', () => {
        this.#pairs.delete(pair)
        to.destroySoon()
      })
    }
    pass(client, server)
    pass(server, client)
    server.once('data', (answer) => {
      const isWebSocket = answer.toString('latin1').startsWith('HTTP/1.1 101')
      if (isWebSocket) this.#count(pair)
      if (isWebSocket && this.idleMs !== undefined) client.setTimeout(this.idleMs, () => client.destroySoon())
    })
  }

  #count({ client, server }: Pair): void {
    this.webSocketCount++
    client.on('data', () => this.webSocketChunks.client++)
    server.on('data', () => this.webSocketChunks.server++)
  }

  [Symbol.dispose](): void {
    this.#server.close()
    this.cut('reset')
  }
}
