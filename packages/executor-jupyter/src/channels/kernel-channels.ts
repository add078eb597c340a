import type { KernelMessage } from '../protocol/message.ts'

/** Hears what comes from a kernel. Neither may throw. */
export interface ChannelListener {
  message(message: KernelMessage): void
  /** The connection is lost for good. It is not called after `close`. */
  lost(error: unknown): void
  /** The connection had been lost and is back; messages may be missing. */
  restored(): void
}

/** A way to a kernel and back, whatever it leads over. */
export interface KernelChannels {
  /** Our own session, which all of our messages bear. */
  readonly session: string
  send(message: KernelMessage): Promise<void>
  close(): Promise<void>
}
