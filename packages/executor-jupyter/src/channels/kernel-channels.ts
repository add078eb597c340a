import type { IncomingMessage } from '../protocol/incoming-message.ts'
import type { KernelMessage } from '../protocol/message.ts'

/** Receives the messages of a kernel. The methods must not throw. */
export interface ChannelListener {
  message(message: IncomingMessage): void
  /** Called when the connection is lost for good; not after `close`. */
  lost(error: unknown): void
  /** Called when a lost connection is back; messages may be missing. */
  restored(): void
}

/** The connection to a kernel. */
export interface KernelChannels {
  /** Session of this client, in all of its messages. */
  readonly session: string
  /** Resolves when the message was sent. On `stdin` this can take until the kernel has taken the messages before it: send one at a time. */
  send(message: KernelMessage): Promise<void>
  /** Sets whether the connection keeps this process alive. @default true */
  setRef(keeps: boolean): void
  close(): Promise<void>
}
