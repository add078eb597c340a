import { randomUUID } from 'node:crypto'
import { connect, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { NetworkConnection, NetworkObserver } from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import { type Destination, Refusal } from './proxied-request.ts'

/** How long a connection, or the beginning of TLS, may take to be made, in milliseconds. */
const connectTimeoutMs = 30_000

type Traffic = Pick<NetworkConnection, 'bytesSent' | 'bytesReceived'>

/** A connection to a host, from its request to its end. */
export class OutgoingConnection {
  /** Resolves when it is over, and reported. */
  readonly ended: Promise<void>
  readonly destination: Destination
  readonly #id = randomUUID()
  readonly #observers: Set<NetworkObserver>
  readonly #onBytes: (bytes: number) => void
  readonly #startedAt = performance.now()
  readonly #end = Promise.withResolvers<void>()
  #isOver = false
  #socket: Socket | undefined
  /** Set at the end: the counts of a destroyed socket change. */
  #lastTraffic: Traffic | undefined

  /** @param onBytes - called with how many more bytes have gone through it. */
  constructor(
    destination: Destination,
    observers: Iterable<NetworkObserver>,
    onBytes: (bytes: number) => void = () => {},
  ) {
    this.destination = destination
    this.#observers = new Set(observers)
    this.#onBytes = onBytes
    this.ended = this.#end.promise
  }

  /** Set once it is open. */
  get socket(): Socket {
    if (this.#socket === undefined) throw new Error('The connection is not open.')
    return this.#socket
  }

  get traffic(): Traffic {
    return (
      this.#lastTraffic ?? {
        bytesSent: this.#socket?.bytesWritten ?? 0,
        bytesReceived: this.#socket?.bytesRead ?? 0,
      }
    )
  }

  /** @throws Refusal when none of the addresses answers. */
  async open(addresses: readonly string[]): Promise<void> {
    const { host, port } = this.destination
    const socket = connect({
      ...{ host, port, noDelay: true, allowHalfOpen: true },
      ...{ lookup: lookupOf(addresses), autoSelectFamily: true },
    })
    this.#socket = socket
    try {
      await established(socket, 'connect')
    } catch (error) {
      throw new Refusal(502, `${host}, port ${port}, cannot be reached: ${errorMessage(error)}`)
    }
    if (socket.destroyed) this.end('allowed')
    else socket.once('close', () => this.end('allowed'))
  }

  /** Counts the bytes of the connection. @param read - the stream from which they are read. Default: the socket. */
  count(read: Duplex = this.socket): void {
    const { socket } = this
    let counted = 0
    const count = () => {
      const bytes = socket.bytesRead + socket.bytesWritten
      this.#onBytes(bytes - counted)
      counted = bytes
    }
    read.on('data', count).on('drain', count).on('close', count)
  }

  /** Ends it, unless it is over, with a verdict and a reason for its observer. */
  end(verdict: NetworkConnection['verdict'], reason?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#lastTraffic = this.traffic
    for (const observer of this.#observers) this.#report(observer, verdict, reason)
    this.#socket?.destroy()
    this.#end.resolve()
  }

  /** Reports the final connection to an observer that has stopped watching. */
  reportTo(observer: NetworkObserver): void {
    if (!this.#observers.delete(observer)) return
    if (this.#socket === undefined) this.#report(observer, 'failed', 'it was not made before the end')
    else this.#report(observer, 'allowed', undefined)
  }

  #report(
    observer: NetworkObserver,
    verdict: NetworkConnection['verdict'],
    reason: string | undefined,
  ): void {
    const { host, port } = this.destination
    observer.onConnection?.({
      id: this.#id,
      ...{ host, port, verdict },
      ...(reason === undefined ? {} : { reason }),
      ...this.traffic,
      durationMs: performance.now() - this.#startedAt,
    })
  }
}

/** Waits for an event that says that a connection was made. Rejects when the connection fails, ends, or takes too long. */
export async function established(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.once(event, resolve).on('error', reject)
  socket.once('close', () => reject(new Error('it was ended')))
  const timer = setTimeout(() => socket.destroy(new Error('it does not answer')), connectTimeoutMs)
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}

/** Answers with addresses that are known. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_, { all }, callback) => {
    const [first = { address: '', family: 4 }] = answers
    if (all === true) callback(null, answers)
    else callback(null, first.address, first.family)
  }
}
