/**
 * A connection out of a sandbox whose network is an allowlist, reported when the connection or the block in which it was seen
 * ends.
 */
export interface NetworkConnection {
  /** Unique ID. */
  readonly id: string
  /**
   * Host as compared with the allowlist: lower case, in Punycode, without a trailing dot. If the program's text is not a valid
   * host, that text unchanged.
   */
  readonly host: string
  /** TCP port. */
  readonly port: number
  /** `refused`: nothing was sent. `failed`: the connection was allowed but could not be made. */
  readonly verdict: 'allowed' | 'refused' | 'failed'
  /** The reason why the connection was not made, or was closed. */
  readonly reason?: string
  /** Bytes sent to the host, including request headers. */
  readonly bytesSent: number
  /** Bytes that the program received. */
  readonly bytesReceived: number
  /** Duration, in milliseconds. */
  readonly durationMs: number
}
