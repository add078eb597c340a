import { randomUUID } from 'node:crypto'
import { FencedError } from '@fenced/core'
import type { Dealer, Subscriber } from 'zeromq'
import { longestMessage } from '../protocol/incoming-message.ts'
import type { Channel, KernelMessage } from '../protocol/message.ts'
import { signedMessage, toSignedFrames } from '../protocol/signed-frames.ts'
import type { ChannelListener, KernelChannels } from './kernel-channels.ts'

/** How long a socket waits for a message before it looks whether somebody still needs it, in milliseconds. */
const receiveMs = 250

/** How long a message waits for room before it is tried again, in milliseconds: the socket does not always hear that there is some. */
const sendMs = 20

/** The sockets of a kernel to which a client connects. */
export type SocketName = 'shell' | 'control' | 'stdin' | 'iopub'

/** Where a kernel's sockets are, and what its messages are signed with. */
export interface ZeromqConnection {
  readonly paths: Readonly<Record<SocketName, string>>
  readonly key: string
}

/**
 * Connects to the sockets of a kernel; they may come into being later.
 *
 * @throws FencedError `ZEROMQ_MISSING`.
 */
export async function openZeromqChannels(
  { paths, key }: ZeromqConnection,
  listener: ChannelListener,
): Promise<KernelChannels> {
  const { Dealer, Subscriber } = await importZeromq()
  // The kernel sends what it asks for on `stdin` to the identity that it knows from `shell`.
  const session = randomUUID()
  const options = {
    routingId: session,
    linger: 0,
    reconnectInterval: 5,
    sendHighWaterMark: 0,
    receiveTimeout: receiveMs,
    maxMessageSize: longestMessage,
  }
  const dealers = {
    shell: new Dealer(options),
    control: new Dealer(options),
    // What a program has asked for and does not take waits here, not in memory without bounds.
    stdin: new Dealer({ ...options, sendHighWaterMark: 8, sendTimeout: sendMs }),
  }
  // A publisher drops what a subscriber has no room for, and also what says that a cell has ended.
  const iopub = new Subscriber({
    linger: 0,
    reconnectInterval: 5,
    receiveHighWaterMark: 0,
    receiveTimeout: receiveMs,
    maxMessageSize: longestMessage,
  })
  const sockets = { ...dealers, iopub }
  const breaks = new Breaks(Object.keys(sockets).length)
  let closed = false
  for (const [channel, socket] of Object.entries(sockets) as [SocketName, Dealer | Subscriber][]) {
    socket.connect(`ipc://${paths[channel]}`)
    if (socket === iopub) iopub.subscribe()
    void receive(socket, channel).catch((error: unknown) => {
      if (!closed) listener.lost(error)
    })
  }

  async function receive(socket: Dealer | Subscriber, channel: Channel): Promise<void> {
    while (!closed) {
      const frames = await socket.receive().catch(undefinedAfterTime)
      if (frames === undefined) await breaks.take()
      else listener.message(signedMessage(frames, { channel, key }))
    }
  }

  return {
    session,
    async send(message: KernelMessage) {
      if (message.channel === 'iopub') throw new TypeError('Nothing is sent on iopub.')
      const frames = toSignedFrames(message, key)
      const socket = dealers[message.channel]
      const isSent = () => socket.send(frames).then(() => true, undefinedAfterTime)
      while (!(await isSent()) && !closed);
    },
    setRef: (keeps) => breaks.setRef(keeps),
    async close() {
      closed = true
      breaks.setRef(true)
      for (const socket of Object.values(sockets)) socket.close()
    },
  }
}

function undefinedAfterTime(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
}

/**
 * A socket of ZeroMQ that waits for a message keeps this process going, and has no way to let it end. So the sockets of a
 * kernel that does nothing stop waiting now and then, all at once and for a moment, in which a process that has nothing
 * else to do ends.
 */
class Breaks {
  readonly #socketCount: number
  #keepsUs = true
  #waitingCount = 0
  #over = Promise.withResolvers<void>()

  constructor(socketCount: number) {
    this.#socketCount = socketCount
  }

  /** From now on there are none, or there are some. */
  setRef(keeps: boolean): void {
    this.#keepsUs = keeps
    if (keeps) this.#end()
  }

  /** Resolves when the socket is to wait for messages again. */
  async take(): Promise<void> {
    if (this.#keepsUs) return
    this.#waitingCount++
    const { promise } = this.#over
    if (this.#waitingCount === this.#socketCount) setTimeout(() => this.#end(), 1).unref()
    await promise
  }

  #end(): void {
    this.#waitingCount = 0
    this.#over.resolve()
    this.#over = Promise.withResolvers()
  }
}

async function importZeromq() {
  try {
    return await import('zeromq')
  } catch (cause) {
    throw new FencedError({
      code: 'ZEROMQ_MISSING',
      message:
        'A kernel without a server is spoken to over ZeroMQ, and the package "zeromq" is not installed or does not load here. Install it (npm install zeromq), or give the executor a `server`.',
      data: { package: 'zeromq', command: 'npm install zeromq', option: 'server' },
      cause,
    })
  }
}
