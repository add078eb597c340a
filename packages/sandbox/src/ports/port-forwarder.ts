import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { errorMessage } from '@fenced/errors'
import { onAbort, raceGrace, TurnQueue } from '@fenced/shared'

export interface PortForwarderParts {
  readonly connect: ExecutorSandbox['connect']
  readonly port: number
  readonly waitTimeoutMs: number
  readonly maxConnections: number
  readonly onError: (error: unknown) => void
}

/** How long is waited before a port is tried again on which nothing listens, in milliseconds: at first, and at most. */
const firstPauseMs = 50
const longestPauseMs = 1_000
/** How long connections may take to end by themselves once it is closed, in milliseconds: what a server wrote before its end arrives. */
const lastBytesMs = 100

/** A listener, and the connections that it passes on. */
export class PortForwarder {
  /** Stops listening, and resolves when all its connections have ended. */
  readonly closed: Promise<void>
  readonly #parts: PortForwarderParts
  readonly #server: Server
  readonly #end = new AbortController()
  readonly #cut = new AbortController()
  readonly #passing = new Set<Promise<void>>()
  /** While nothing listens in the sandbox, one connection tries for all that wait. */
  readonly #turns = new TurnQueue()

  constructor(parts: PortForwarderParts) {
    this.#parts = parts
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      const passing = this.#pass(socket).finally(() => this.#passing.delete(passing))
      this.#passing.add(passing)
    })
    this.#server.maxConnections = parts.maxConnections
    this.closed = once(this.#end.signal, 'abort').then(() => this.#close())
  }

  /** @returns the port. */
  async listen(host: string, port: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#server.on('error', reject).listen(port, host, resolve)
    try {
      await promise
    } catch (cause) {
      throw new FencedError({
        code: 'PORT_TAKEN',
        message: `Cannot listen on port ${port} of ${host}: ${errorMessage(cause)}. Choose another \`localPort\`, or omit it to use a free port.`,
        data: { port: `${port}`, host, reason: errorMessage(cause) },
        cause,
      })
    }
    return (this.#server.address() as AddressInfo).port
  }

  close(): Promise<void> {
    this.#end.abort()
    return this.closed
  }

  async #close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    await raceGrace(Promise.all(this.#passing), lastBytesMs)
    this.#cut.abort()
    await closed
    await Promise.all(this.#passing)
  }

  /** Resolves when nothing of the connection is left, however it went. */
  async #pass(socket: Socket): Promise<void> {
    try {
      const connection = await this.#open(socket)
      await passOn(socket, connection, this.#cut.signal)
    } catch (error) {
      const isGivenUp = this.#end.signal.aborted || socket.destroyed
      socket.resetAndDestroy()
      if (!isGivenUp) this.#parts.onError(error)
    }
  }

  /** Given up when the socket closes, or this does. What is on its way later still arrives. */
  async #open(socket: Socket): Promise<Duplex> {
    const attempt = new AbortController()
    const giveUp = () => attempt.abort()
    socket.on('error', () => {}).once('close', giveUp)
    using _ = onAbort(this.#end.signal, giveUp)
    const connection = await this.#connect(attempt.signal)
    socket.off('close', giveUp)
    return connection
  }

  async #connect(signal: AbortSignal): Promise<Duplex> {
    const { connect, port, waitTimeoutMs } = this.#parts
    const lastAt = performance.now() + waitTimeoutMs
    const attempt = (isLast: boolean) =>
      connect(port, { signal }).catch((error) => {
        if (isLast || !FencedError.isInstance(error) || error.code !== 'SANDBOX_PORT_CLOSED') throw error
        return undefined
      })
    const first = await attempt(waitTimeoutMs === 0)
    if (first !== undefined) return first
    using _ = await this.#turns.take(signal)
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const connection = await attempt(performance.now() >= lastAt)
      if (connection !== undefined) return connection
      await delay(pauseMs, undefined, { signal })
    }
  }
}

/** Passes on both directions and the end of each, until both have ended or one was cut off; then both are destroyed. */
async function passOn(socket: Socket, connection: Duplex, signal: AbortSignal): Promise<void> {
  const closed = connection.closed ? undefined : new Promise((resolve) => connection.once('close', resolve))
  // What was cut off must not be taken for a whole.
  connection.on('error', () => socket.resetAndDestroy())
  const both = [pipeline(socket, connection, { signal }), pipeline(connection, socket, { signal })]
  await Promise.allSettled(both)
  connection.destroy()
  socket.destroy()
  await closed
}
