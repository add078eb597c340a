import { randomUUID } from 'node:crypto'
import { lookup as systemLookup } from 'node:dns/promises'
import type { Duplex } from 'node:stream'
import type { NetworkObserver, SandboxNetwork } from '@fenced/core'
import { askerOf, withDigest } from '@fenced/core/internal'
import { errorMessage } from '@fenced/errors'
import { TurnQueue } from '@fenced/shared'
import { NetworkList } from './network-list.ts'
import type { NetworkListSettings } from './network-options.ts'
import { OutgoingConnection } from './outgoing-connection.ts'
import { type Destination, Refusal } from './proxied-request.ts'

/** Resolves a name to its addresses. @default the system's resolver */
export type Lookup = (name: string) => Promise<readonly string[]>

/** The system's resolver has a thread for each, of the few that Node has for files, too. */
const mostLookups = 2
/** How many questions may be open at a time: further ones are asked when these are answered. */
const mostQuestions = 64

/**
 * Decides about connections by a list, makes them, and counts what goes through them. The verdict on a name comes before it is
 * resolved; it is resolved once, and what was checked is connected to.
 */
export class NetworkGate implements SandboxNetwork {
  readonly #settings: NetworkListSettings
  readonly #list: NetworkList
  readonly #lookup: Lookup
  readonly #observers: NetworkObserver[] = []
  readonly #open = new Set<OutgoingConnection>()
  /** Of connections that are over. */
  readonly #ended: Traffic = { bytesSent: 0, bytesReceived: 0 }
  readonly #lookups = new TurnQueue(mostLookups)
  readonly #questions = new TurnQueue(mostQuestions)
  /** What has gone through connections since the start; a new one after each end, because what is closing still counts. */
  #traffic = { bytes: 0 }

  constructor(settings: NetworkListSettings, lookup: Lookup = resolve) {
    this.#settings = settings
    this.#list = new NetworkList(settings)
    this.#lookup = lookup
  }

  get traffic(): Traffic {
    const all = { ...this.#ended }
    for (const { traffic } of this.#open) add(all, traffic)
    return all
  }

  get maxConnections(): number {
    return this.#settings.maxConnections
  }

  watch(observer: NetworkObserver): Disposable {
    this.#observers.push(observer)
    return {
      [Symbol.dispose]: () => {
        const index = this.#observers.indexOf(observer)
        if (index === -1) return
        this.#observers.splice(index, 1)
        for (const connection of this.#open) connection.reportTo(observer)
      },
    }
  }

  /**
   * Connects to a host, if it may be reached.
   *
   * @param from - the connection of the program. After its end, no connection to the host is opened.
   * @throws Refusal
   */
  async connect(destination: Destination, from: Duplex): Promise<OutgoingConnection> {
    const traffic = this.#traffic
    const count = (bytes: number) => this.#count(traffic, bytes)
    const connection = new OutgoingConnection(destination, this.#observers, count)
    this.#open.add(connection)
    void connection.ended.then(() => {
      this.#open.delete(connection)
      add(this.#ended, connection.traffic)
    })
    const left = new AbortController()
    const leave = () => left.abort(new Error('the program has ended the connection'))
    if (from.destroyed) leave()
    from.once('close', leave)
    try {
      await this.#admit(destination, left.signal)
      const addresses = await this.#addressesOf(destination, left.signal)
      left.signal.throwIfAborted()
      await connection.open(addresses)
      return connection
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(502, errorMessage(error))
      connection.end(refusal.status === 502 ? 'failed' : 'refused', refusal.message)
      throw refusal
    } finally {
      from.off('close', leave)
    }
  }

  /** Reports what was refused before the list was asked. */
  reportRefusal({ message, destination }: Refusal): void {
    if (destination !== undefined)
      new OutgoingConnection(destination, this.#observers).end('refused', message)
  }

  /** Ends all connections. The bytes of the next start are counted from zero. */
  end(): void {
    this.#traffic = { bytes: 0 }
    for (const connection of this.#open) connection.end('allowed', 'the sandbox has ended')
  }

  async #admit(destination: Destination, signal: AbortSignal): Promise<void> {
    const { maxConnections, maxBytes } = this.#settings
    if (this.#open.size > maxConnections)
      throw new Refusal(403, `this sandbox has ${maxConnections} connections already`)
    if (this.#traffic.bytes > maxBytes)
      throw new Refusal(403, `this sandbox has moved all of its ${maxBytes} bytes`)
    const reason = this.#reasonAgainst(destination)
    if (reason !== undefined) await this.#ask(destination, reason, signal)
  }

  #reasonAgainst({ kind, host, port }: Destination): string | undefined {
    const isListed = kind === 'name' ? this.#list.hasName(host) : this.#list.hasAddress(host)
    if (!isListed) return `${host} is not in the network list of this sandbox`
    return this.#list.hasPort(port) ? undefined : `port ${port} is not in the network list of this sandbox`
  }

  /** @throws Refusal unless the decision allows it. */
  async #ask({ host, port }: Destination, reason: string, signal: AbortSignal): Promise<void> {
    const { ask } = this.#observers.findLast((observer) => observer.ask !== undefined) ?? {}
    if (ask === undefined) throw new Refusal(403, reason)
    const question = `A program wants to connect to ${host}, port ${port}.`
    try {
      using _turn = await this.#questions.take(signal)
      const request = withDigest({ kind: 'network' as const, id: randomUUID(), question, host, port })
      const answer = await askerOf({ ask: { network: ask } }).ask<'network'>(request, { signal })
      if (answer.decision === 'deny') throw new Refusal(403, answer.reason)
    } catch (error) {
      throw error instanceof Refusal
        ? error
        : new Refusal(403, `${reason}, and no decision could be requested`)
    }
  }

  /** Those that may be reached; it may have others, too. */
  async #addressesOf({ kind, host }: Destination, signal: AbortSignal): Promise<readonly string[]> {
    const addresses = kind === 'address' ? [host] : await this.#resolve(host, signal)
    const reachable = addresses.filter((address) => this.#list.isReachable(address))
    if (reachable.length > 0) return reachable
    if (addresses.length === 0) throw new Refusal(502, `${host} has no address`)
    throw new Refusal(403, `${host} has no public address`)
  }

  async #resolve(name: string, signal: AbortSignal): Promise<readonly string[]> {
    using _turn = await this.#lookups.take(signal)
    return await this.#lookup(name)
  }

  #count(traffic: { bytes: number }, bytes: number): void {
    traffic.bytes += bytes
    if (traffic !== this.#traffic || traffic.bytes <= this.#settings.maxBytes) return
    const reason = `this sandbox has moved all of its ${this.#settings.maxBytes} bytes`
    for (const connection of this.#open) connection.end('allowed', reason)
  }
}

type Traffic = { -readonly [name in keyof NonNullable<SandboxNetwork['traffic']>]: number }

function add(sum: Traffic, { bytesSent, bytesReceived }: Readonly<Traffic>): void {
  sum.bytesSent += bytesSent
  sum.bytesReceived += bytesReceived
}

async function resolve(name: string): Promise<readonly string[]> {
  const found = await systemLookup(name, { all: true })
  return found.map(({ address }) => address)
}
