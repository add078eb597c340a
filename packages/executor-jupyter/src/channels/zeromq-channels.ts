import { randomUUID } from 'node:crypto'
import { isMainThread } from 'node:worker_threads'
import { FencedError } from '@fenced/core'
import type { Dealer, Subscriber } from 'zeromq'
import { longestMessage } from '../protocol/incoming-message.ts'
import type { Channel, KernelMessage } from '../protocol/message.ts'
import { signedMessage, toSignedFrames } from '../protocol/signed-frames.ts'
import type { ChannelListener, KernelChannels } from './kernel-channels.ts'

/** How long a socket waits for a message before it checks whether it is still needed, in milliseconds. */
const receiveMs = 250

/** How long a message waits for room before the next attempt, in milliseconds: the socket does not always report room. */
const sendMs = 20

/** The sockets of a kernel to which a client connects. */
export type SocketName = 'shell' | 'control' | 'stdin' | 'iopub'

/** Where a kernel's sockets are, and what its messages are signed with. */
export interface ZeromqConnection {
  readonly paths: Readonly<Record<SocketName, string>>
  readonly key: string
}

/**
 * Connects to the sockets of a kernel. The sockets may appear later.
 *
 * @throws FencedError `ZEROMQ_MISSING`.
 */
export async function openZeromqChannels(
  { paths, key }: ZeromqConnection,
  listener: ChannelListener,
): Promise<KernelChannels> {
  const { Dealer, Subscriber } = await importZeromq()
  // On `stdin` the kernel sends requests to the identity that it knows from `shell`.
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
    // Input that a program does not take waits here, within a bound.
    stdin: new Dealer({ ...options, sendHighWaterMark: 8, sendTimeout: sendMs }),
  }
  // Without a limit: a publisher drops messages that do not fit, among them the end of a cell.
  const iopub = new Subscriber({
    linger: 0,
    reconnectInterval: 5,
    receiveHighWaterMark: 0,
    receiveTimeout: receiveMs,
    maxMessageSize: longestMessage,
  })
  const sockets = { ...dealers, iopub }
  const pauses = new IdlePauses(Object.keys(sockets).length)
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
      if (frames === undefined) await pauses.take()
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
    setRef: (keeps) => pauses.setRef(keeps),
    async close() {
      closed = true
      pauses.setRef(true)
      for (const socket of Object.values(sockets)) socket.close()
    },
  }
}

function undefinedAfterTime(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
}

/**
 * Pauses in which an idle process can end. A ZeroMQ socket that waits for a message keeps the process alive and has no `unref`. The
 * sockets of an idle kernel therefore stop waiting together, for one millisecond at a time.
 */
class IdlePauses {
  readonly #socketCount: number
  #isReferenced = true
  #waitingCount = 0
  #over = Promise.withResolvers<void>()

  constructor(socketCount: number) {
    this.#socketCount = socketCount
  }

  /** Sets whether the sockets keep the process alive, so that there are no pauses. */
  setRef(keeps: boolean): void {
    this.#isReferenced = keeps
    if (keeps) this.#end()
  }

  /** Resolves when the socket is to wait for messages again. */
  async take(): Promise<void> {
    if (this.#isReferenced) return
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

/**
 * Checks that this is the main thread: `zeromq` aborts the process when a thread ends while a socket waits for a message.
 *
 * @throws FencedError `THREAD_UNSUPPORTED`.
 */
export function requireMainThread(): void {
  if (isMainThread) return
  throw new FencedError({
    code: 'THREAD_UNSUPPORTED',
    message:
      'A kernel without a server cannot run in a worker thread, because the package "zeromq" would end the whole process when the thread ends. Nothing was run. Create the executor in the main thread, or set `server`.',
    data: { package: 'zeromq', option: 'server' },
  })
}

async function importZeromq() {
  try {
    return await import('zeromq')
  } catch (cause) {
    throw new FencedError({
      code: 'ZEROMQ_MISSING',
      message:
        'A kernel without a server needs the package "zeromq", which is not installed or does not load. Run "npm install zeromq", or set `server`.',
      data: { package: 'zeromq', command: 'npm install zeromq', option: 'server' },
      cause,
    })
  }
}
