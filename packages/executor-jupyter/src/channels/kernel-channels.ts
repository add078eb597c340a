import type { IncomingMessage } from '../protocol/incoming-message.ts'
import type { KernelMessage } from '../protocol/message.ts'

/** Hears what comes from a kernel. Neither may throw. */
export interface ChannelListener {
  message(message: IncomingMessage): void
  /** The connection is lost for good. It is not called after `close`. */
  lost(error: unknown): void
  /** The connection had been lost and is back; messages may be missing. */
  restored(): void
}

/** A way to a kernel and back, whatever it leads over. */
export interface KernelChannels {
  /** Our own session, which all of our messages bear. */
  readonly session: string
  /** Resolves when it is on its way. On `stdin` that may take until the kernel has taken what was sent before: one at a time. */
  send(message: KernelMessage): Promise<void>
  /** Whether the connection keeps this process going, as it does at first. */
  setRef(keeps: boolean): void
  close(): Promise<void>
}
