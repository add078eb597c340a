import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KernelMessage } from '../protocol/message.ts'
import { webSocketFormat } from '../protocol/websocket-frames.ts'
import type { ServerAddress } from '../server/server-address.ts'
import type { ChannelListener, KernelChannels } from './kernel-channels.ts'
import { type OpenSocket, openSocket } from './open-socket.ts'

/** How a lost connection is looked after. */
export interface Reconnecting {
  /** A connection on which nothing answers for this time is lost. Proxies cut what is silent for a minute. */
  readonly keepAliveMs: number
  /** How long it is tried to connect again. */
  readonly giveUpAfterMs: number
}

/** In milliseconds; the last one is repeated. */
const pauses = [0, 100, 300, 1_000, 2_000]

/** Connects to a kernel through its server, and connects again when the connection is lost. */
export async function openWebSocketChannels(
  { address, kernelId, reconnecting }: WebSocketTarget,
  listener: ChannelListener,
): Promise<KernelChannels> {
  const channels = new WebSocketChannels({ address, kernelId, reconnecting }, listener)
  await channels.connect()
  return channels
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
  #socket: Promise<OpenSocket> | undefined
  #closed = false

  constructor(target: WebSocketTarget, listener: ChannelListener) {
    this.#target = target
    this.#listener = listener
  }

  async connect(): Promise<void> {
    this.#socket = this.#open()
    await this.#socket
  }

  async send(message: KernelMessage): Promise<void> {
    const { socket } = (await this.#socket) ?? {}
    socket?.send(webSocketFormat(socket.protocol).write(message))
  }

  async close(): Promise<void> {
    this.#closed = true
    const open = await this.#socket?.catch(() => undefined)
    open?.socket.terminate()
  }

  #open(): Promise<OpenSocket> {
    const { address, kernelId, reconnecting } = this.#target
    const url = new URL(`api/kernels/${kernelId}/channels?session_id=${this.session}`, address.url)
    return openSocket(
      url,
      { address, keepAliveMs: reconnecting.keepAliveMs },
      {
        message: (data, isBinary, protocol) => {
          const message = webSocketFormat(protocol).read(data, isBinary)
          if (message !== undefined) this.#listener.message(message)
        },
        closed: () => void this.#reconnect(),
      },
    )
  }

  async #reconnect(): Promise<void> {
    if (this.#closed) return
    this.#socket = this.#openAgain()
    try {
      await this.#socket
      this.#listener.restored()
    } catch (error) {
      if (!this.#closed) this.#listener.lost(error)
    }
  }

  async #openAgain(): Promise<OpenSocket> {
    const endsAt = performance.now() + this.#target.reconnecting.giveUpAfterMs
    for (let attempt = 0; ; attempt++) {
      await sleep(pauses[attempt] ?? pauses.at(-1))
      try {
        return await this.#open()
      } catch (error) {
        if (this.#closed || isFinal(error) || performance.now() > endsAt) throw error
      }
    }
  }
}

/** The server answers, and says that the kernel is gone or that we may not speak to it. */
function isFinal(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === 'JUPYTER_UNAUTHORIZED' || code === 'KERNEL_GONE'
}
