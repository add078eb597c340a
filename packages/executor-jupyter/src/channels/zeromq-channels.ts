import { randomUUID } from 'node:crypto'
import { FencedError } from '@fenced/core'
import type { Dealer, Subscriber } from 'zeromq'
import type { Channel, KernelMessage } from '../protocol/message.ts'
import { fromSignedFrames, toSignedFrames } from '../protocol/signed-frames.ts'
import type { ChannelListener, KernelChannels } from './kernel-channels.ts'

/** Where a kernel's sockets are, and what its messages are signed with. */
export interface ZeromqConnection {
  readonly addresses: Readonly<Record<'shell' | 'control' | 'stdin' | 'iopub', string>>
  readonly key: string
}

/**
 * Connects to the sockets of a kernel; they may come into being later.
 *
 * @throws FencedError `ZEROMQ_MISSING`.
 */
export async function openZeromqChannels(
  { addresses, key }: ZeromqConnection,
  listener: ChannelListener,
): Promise<KernelChannels> {
  const { Dealer, Subscriber } = await importZeromq()
  // The kernel sends what it asks for on `stdin` to the identity that it knows from `shell`.
  const session = randomUUID()
  const options = { routingId: session, linger: 0, reconnectInterval: 5, sendHighWaterMark: 0 }
  const dealers = { shell: new Dealer(options), control: new Dealer(options), stdin: new Dealer(options) }
  // A publisher drops what a subscriber has no room for.
  const iopub = new Subscriber({ linger: 0, reconnectInterval: 5, receiveHighWaterMark: 0 })
  const sockets = { ...dealers, iopub }
  let closed = false
  for (const [channel, socket] of Object.entries(sockets) as [Channel, Dealer | Subscriber][]) {
    socket.connect(addresses[channel])
    if (socket === iopub) iopub.subscribe()
    void receive(socket, channel).catch((error: unknown) => {
      if (!closed) listener.lost(error)
    })
  }

  async function receive(socket: Dealer | Subscriber, channel: Channel): Promise<void> {
    for await (const frames of socket) {
      const message = fromSignedFrames(frames, { channel, key })
      if (message !== undefined) listener.message(message)
    }
  }

  return {
    session,
    async send(message: KernelMessage) {
      if (message.channel === 'iopub') throw new TypeError('Nothing is sent on iopub.')
      await dealers[message.channel].send(toSignedFrames(message, key))
    },
    async close() {
      closed = true
      for (const socket of Object.values(sockets)) socket.close()
    },
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
      cause,
    })
  }
}
