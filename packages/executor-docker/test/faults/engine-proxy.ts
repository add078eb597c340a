import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Break, type Fault, type Rule, ruleFor, type Target } from './fault.ts'
import { ProxiedConnection } from './proxied-connection.ts'

/**
 * Stands between dockerode and an engine, and does to their connections what the engine will not do on demand. Without
 * a rule everything goes through as it is.
 */
export class EngineProxy implements Disposable {
  /** What was asked, as `POST /exec/<id>/start`. */
  readonly seen: string[] = []
  readonly #engineAddress: string
  readonly #folder = mkdtempSync(join(tmpdir(), 'fenced-proxy-'))
  readonly #onSocket = this.#makeServer()
  readonly #onPort = this.#makeServer()
  readonly #connections = new Set<ProxiedConnection>()
  #rules: Rule[] = []
  #frozen: PromiseWithResolvers<void> | undefined

  /** @param engineAddress - of the engine behind it: `unix://` or `tcp://`. */
  private constructor(engineAddress: string) {
    this.#engineAddress = engineAddress
  }

  static async start(engineAddress = process.env.DOCKER_HOST ?? ''): Promise<EngineProxy> {
    const proxy = new EngineProxy(engineAddress)
    await new Promise<void>((resolve) => proxy.#onSocket.listen(proxy.#socketPath, resolve))
    await new Promise<void>((resolve) => proxy.#onPort.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  /** For the `docker` option. */
  get address(): string {
    return `unix://${this.#socketPath}`
  }

  /** The same on a loopback port: only there connections can be reset. */
  get tcpAddress(): string {
    const { port } = this.#onPort.address() as AddressInfo
    return `tcp://127.0.0.1:${port}`
  }

  /** Lets something go wrong with requests from now on. */
  inject(target: Target, fault: Fault): void {
    this.add(ruleFor(target, fault))
  }

  add(rule: Rule): void {
    this.#rules.push(rule)
  }

  /** From now on all goes well, also on connections that are open: one may wait for the next block. */
  heal(): void {
    this.#rules = []
    for (const connection of this.#connections) connection.heal()
    this.#frozen?.resolve()
    this.#frozen = undefined
  }

  /** Nothing goes through in any direction until {@link heal}, and all connections stay open. */
  freeze(): void {
    this.#frozen ??= Promise.withResolvers()
  }

  /** Breaks all connections that there are now. */
  breakAll(by: Break['by'], engineKeepsIt = false): void {
    for (const connection of this.#connections) connection.break(by, engineKeepsIt)
  }

  get #socketPath(): string {
    return join(this.#folder, 'docker.sock')
  }

  #makeServer(): Server {
    // One side may be done while the other still has something to say.
    return createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client))
  }

  #accept(client: Socket): void {
    const connection = new ProxiedConnection({
      client,
      connect: () => this.#connectEngine(),
      rule: (request) => {
        this.seen.push(`${request.method} ${request.path}`)
        for (const rule of this.#rules) {
          const fault = rule(request)
          if (fault !== undefined) return fault
        }
        return undefined
      },
      open: async () => {
        while (this.#frozen !== undefined) await this.#frozen.promise
      },
    })
    this.#connections.add(connection)
  }

  #connectEngine(): Socket {
    if (this.#engineAddress.startsWith('unix://')) {
      return connect({ path: this.#engineAddress.slice('unix://'.length), allowHalfOpen: true })
    }
    const { hostname, port } = new URL(this.#engineAddress)
    return connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true })
  }

  [Symbol.dispose](): void {
    this.heal()
    for (const server of [this.#onSocket, this.#onPort]) server.close()
    for (const connection of this.#connections) connection.destroy()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
