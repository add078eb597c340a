import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import { errorMessage } from '@fenced/errors'
import type { KernelMessage } from '../protocol/message.ts'
import { framedMessage, webSocketFormat } from '../protocol/websocket-frames.ts'
import type { ServerAddress } from '../server/server-address.ts'
import type { ChannelListener, KernelChannels } from './kernel-channels.ts'
import { type OpenSocket, openSocket } from './open-socket.ts'

/** How a lost connection is looked after. */
export interface Reconnecting {
  /** A connection on which nothing answers for this time is lost. Proxies cut what is silent for a minute. */
  readonly keepAliveMs: number
  /** How long it is tried to connect again. */
  readonly reconnectTimeoutMs: number
}

/** In milliseconds; the last one is repeated. The first is left out for a connection that did not last. */
const pauses = [0, 100, 300, 1_000, 2_000]

/** A connection of this age in milliseconds has lasted. */
const lastingMs = 1_000

/** How long a server may take to agree to a connection, in milliseconds. */
const agreementMs = 20_000

/** Connects to a kernel through its server, and connects again when the connection is lost. */
export async function openWebSocketChannels(
  target: WebSocketTarget,
  listener: ChannelListener,
  signal: AbortSignal,
): Promise<KernelChannels> {
  const channels = new WebSocketChannels(target, listener)
  await channels.connect(signal)
  return channels
}

interface Attempt {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly onOpen?: () => void
}

export interface WebSocketTarget {
  readonly address: ServerAddress
  readonly kernelId: string
  readonly reconnecting: Reconnecting
}

class WebSocketChannels implements KernelChannels {
  /** The server keeps what comes while we are away for a client of this name. */
  readonly session = randomUUID()
  readonly #target: WebSocketTarget
  readonly #listener: ChannelListener
  readonly #closing = new AbortController()
  #socket: Promise<OpenSocket> | undefined
  #openedAt = 0
  #isReferenced = true

  constructor(target: WebSocketTarget, listener: ChannelListener) {
    this.#target = target
    this.#listener = listener
  }

  async connect(signal: AbortSignal): Promise<void> {
    this.#socket = this.#open({ timeoutMs: agreementMs, signal })
    await this.#socket
  }

  async send(message: KernelMessage): Promise<void> {
    const { socket } = (await this.#socket) ?? {}
    if (socket === undefined) return
    // A connection that is lost meanwhile is heard of elsewhere.
    const { promise, resolve } = Promise.withResolvers<unknown>()
    socket.send(webSocketFormat(socket.protocol).write(message), resolve)
    if (message.channel === 'stdin') await promise
  }

  setRef(keeps: boolean): void {
    this.#isReferenced = keeps
    this.#socket?.then(
      (open) => open.setRef(keeps),
      () => {},
    )
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const open = await this.#socket?.catch(() => undefined)
    open?.socket.terminate()
  }

  async #open({ timeoutMs, signal, onOpen }: Attempt): Promise<OpenSocket> {
    const { address, kernelId, reconnecting } = this.#target
    const url = new URL(`api/kernels/${kernelId}/channels?session_id=${this.session}`, address.url)
    const { keepAliveMs } = reconnecting
    const opened = await openSocket(
      url,
      { address, keepAliveMs, timeoutMs, signal },
      {
        message: (data, isBinary, protocol) => {
          this.#listener.message(framedMessage(protocol, data, isBinary))
        },
        closed: () => void this.#reconnect(),
        ...(onOpen === undefined ? {} : { opened: onOpen }),
      },
    )
    this.#openedAt = performance.now()
    opened.setRef(this.#isReferenced)
    return opened
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#closing
    if (signal.aborted) return
    this.#socket = this.#openAgain(signal)
    try {
      await this.#socket
    } catch (error) {
      if (!signal.aborted) this.#listener.lost(error)
    }
  }

  async #openAgain(signal: AbortSignal): Promise<OpenSocket> {
    const { reconnectTimeoutMs } = this.#target.reconnecting
    const startsAt = performance.now()
    const leftMs = () => Math.max(startsAt + reconnectTimeoutMs - performance.now(), 1)
    const skipped = startsAt - this.#openedAt < lastingMs ? 1 : 0
    // Before the first message: the rest of the cell can come with it.
    const onOpen = () => {
      if (!signal.aborted) this.#listener.restored()
    }
    for (let attempt = 1; ; attempt++) {
      const pauseMs = pauses[attempt - 1 + skipped] ?? pauses.at(-1) ?? 0
      await sleep(Math.min(pauseMs, leftMs()), undefined, { signal })
      try {
        return await this.#open({ timeoutMs: Math.ceil(Math.min(leftMs(), agreementMs)), signal, onOpen })
      } catch (error) {
        if (signal.aborted || isFinal(error)) throw error
        if (leftMs() <= 1) throw this.#notRestored(attempt, error)
      }
    }
  }

  #notRestored(attempts: number, cause: unknown): FencedError {
    const { address, reconnecting } = this.#target
    const why = errorMessage(cause)
    const tried = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} in ${reconnecting.reconnectTimeoutMs} ms`
    return new FencedError({
      code: 'JUPYTER_UNREACHABLE',
      message: `The connection to the Jupyter server at ${address.url.href} was lost, and ${tried} to restore it failed. The last one: ${why}`,
      data: {
        ...(FencedError.isInstance(cause) ? cause.data : { reason: why }),
        ...{
          url: address.url.href,
          attempts: String(attempts),
          limitMs: String(reconnecting.reconnectTimeoutMs),
        },
      },
      cause,
    })
  }
}

/** The server answers, and says that the kernel is gone or that we may not speak to it. */
function isFinal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'JUPYTER_UNAUTHORIZED' || code === 'KERNEL_GONE'
}
