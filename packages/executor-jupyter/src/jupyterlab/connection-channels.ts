import { FencedError } from '@fenced/core'
import type { Kernel, KernelMessage as TheirMessage } from '@jupyterlab/services'
import type { ChannelListener, KernelChannels } from '../channels/kernel-channels.ts'
import type { IncomingMessage } from '../protocol/incoming-message.ts'
import { type KernelMessage, toMessage } from '../protocol/message.ts'

/** The channels of a kernel over a connection of JupyterLab's client, which opens, restores and closes it. */
export class ConnectionChannels implements KernelChannels {
  readonly session: string
  readonly #connection: Kernel.IKernelConnection
  readonly #listener: ChannelListener
  #isInterrupted = false

  constructor(connection: Kernel.IKernelConnection, listener: ChannelListener) {
    this.session = connection.clientId
    this.#connection = connection
    this.#listener = listener
    connection.anyMessage.connect(this.#onMessage)
    connection.connectionStatusChanged.connect(this.#onStatus)
  }

  /** The client queues messages while it is disconnected, and does not tell when the kernel has taken one. */
  async send(message: KernelMessage): Promise<void> {
    const { channel, parent, ...parts } = message
    const theirs = { ...parts, channel, parent_header: parent, buffers: [] } as unknown
    if (channel === 'shell') this.#connection.sendShellMessage(theirs as TheirMessage.IShellMessage)
    else if (channel === 'control')
      this.#connection.sendControlMessage(theirs as TheirMessage.IControlMessage)
    else {
      const { content, parent_header } = theirs as TheirMessage.IInputReplyMsg
      this.#connection.sendInputReply(content, parent_header)
    }
  }

  /** The connection keeps the process running until its owner closes it. */
  setRef(): void {}

  async close(): Promise<void> {
    this.#connection.anyMessage.disconnect(this.#onMessage)
    this.#connection.connectionStatusChanged.disconnect(this.#onStatus)
  }

  readonly #onMessage = (_: unknown, { msg, direction }: Kernel.IAnyMessageArgs): void => {
    if (direction === 'recv') this.#listener.message(incoming(msg))
  }

  readonly #onStatus = (_: unknown, status: Kernel.ConnectionStatus): void => {
    if (status === 'disconnected') this.#listener.lost(connectionClosed(this.#connection))
    else if (status === 'connected' && this.#isInterrupted) this.#listener.restored()
    this.#isInterrupted = status === 'connecting'
  }
}

function incoming(message: TheirMessage.IMessage): IncomingMessage {
  const { channel, header, parent_header: parent, metadata, content } = message
  const { text } = content as { text?: unknown }
  return {
    byteCount: (typeof text === 'string' ? text : JSON.stringify(content)).length,
    type: header.msg_type,
    read: () => toMessage({ channel, header, parent, metadata, content }),
  }
}

/** Address of the server of a connection, without a user name and a password. */
export function serverOf({ serverSettings }: Kernel.IKernelConnection): string {
  const url = new URL(serverSettings.baseUrl)
  url.username = ''
  url.password = ''
  return url.href
}

export function connectionClosed(connection: Kernel.IKernelConnection, cause?: unknown): FencedError {
  const { id, status } = connection
  const url = serverOf(connection)
  const end = status === 'dead' ? 'The kernel has ended' : 'The connection to the kernel is closed'
  return new FencedError({
    code: status === 'dead' ? 'KERNEL_GONE' : 'JUPYTER_UNREACHABLE',
    message: `${end}: kernel "${id}" of the Jupyter server at ${url}. If \`connection\` is a function, call restart() to get a new kernel. Otherwise create an executor with a new connection.`,
    data: { url, kernel: id, option: 'server.connection' },
    cause,
  })
}
