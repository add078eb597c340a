import type { AskAbout } from '../approval/ask.ts'
import type { NetworkConnection } from '../vocabulary/network-connection.ts'

/** Observer for a sandbox's connections. */
export interface NetworkObserver {
  /** Called once for each connection. */
  onConnection?(connection: NetworkConnection): void
  /** Decides about connections to hosts that are not on the allowlist. Default: they are refused. */
  readonly ask?: AskAbout<'network'> | undefined
}

/** A sandbox network that is an allowlist. */
export interface SandboxNetwork {
  /**
   * Bytes through all connections so far. Only grows, also when the sandbox starts again.
   *
   * @default not counted
   */
  readonly traffic?: Pick<NetworkConnection, 'bytesSent' | 'bytesReceived'> | undefined
  /**
   * Calls an observer for connections from now on, until the returned object is disposed of. When it is disposed of, connections
   * that are still open are reported to it in their current state, and stay open. If several observers decide about connections,
   * the most recent one decides.
   */
  watch(observer: NetworkObserver): Disposable
}
