/** Resources that a block used. A value that is not known is absent. */
export interface BlockUsage {
  /**
   * Processor time of the program and its child processes, in milliseconds. Known for programs that ran as a fork of the resident
   * Python.
   */
  readonly cpuMs?: number
  /** Highest memory of the block's largest process, in bytes. Known for the same programs as `cpuMs`. */
  readonly peakMemoryBytes?: number
  /** Bytes sent to hosts while the block ran, by any process in the sandbox. Known if the network is an allowlist. */
  readonly bytesSent?: number
  /** Bytes received from hosts; see `bytesSent`. */
  readonly bytesReceived?: number
}
