import type { ApproveNetwork } from '../approval/network-request.ts'

/** A connection out of a sandbox whose network is a list, at its end, or at the end of the block that it was seen in. */
export interface NetworkConnection {
  /** Unique. */
  readonly id: string
  /** As compared with the list: lower case, in Punycode, without a final dot. The program's own text where that is not a host. */
  readonly host: string
  /** TCP port. */
  readonly port: number
  /** `refused`: nothing of it went out. `failed`: it was allowed, and could not be made. */
  readonly verdict: 'allowed' | 'refused' | 'failed'
  /** Why it was not made, or was ended. */
  readonly reason?: string
  /** To the host, in bytes, with the headers of requests. */
  readonly bytesSent: number
  /** Bytes that the program received. */
  readonly bytesReceived: number
  /** In milliseconds. */
  readonly durationMs: number
}

/** Observer of the connections of a sandbox. */
export interface NetworkObserver {
  /** Called once for each connection. */
  onConnection?(connection: NetworkConnection): void
  /** Decides about what is not in the list. Default: it is refused. */
  readonly approve?: ApproveNetwork | undefined
}

/** The network of a sandbox that is a list. */
export interface SandboxNetwork {
  /**
   * Calls an observer for connections from now on, until it is disposed of. Those that are open then are reported to it as they
   * are, and stay open. Where several can decide, the last one does.
   */
  watch(observer: NetworkObserver): Disposable
}
