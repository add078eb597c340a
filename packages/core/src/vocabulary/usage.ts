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

/** Resources that a sandbox uses. A value that is not known is absent. */
export interface SandboxUsage {
  /**
   * Processor time since the start, in milliseconds. On this machine, includes running processes and the children for which they have
   * waited. In a container or pod, includes all processes.
   */
  readonly cpuMs?: number
  /** Memory in use now, in bytes. In a container or pod, without cached files that can be dropped. */
  readonly memoryBytes?: number
  /** Highest memory since the start, in bytes, including cached files. Known in containers and pods. */
  readonly peakMemoryBytes?: number
  /** Number of processes now, including those with which Fenced runs programs. */
  readonly processes?: number
  /** Disk space of the working directory, in bytes. */
  readonly diskBytes?: number
  /** Bytes sent to hosts so far, including earlier starts of the sandbox. Known if the network is an allowlist. */
  readonly bytesSent?: number
  /** Bytes received from hosts; see `bytesSent`. */
  readonly bytesReceived?: number
}
