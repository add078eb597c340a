/** Resources that are limited for programs. `true` is a guarantee that already holds before the start. */
export interface BoundedResources {
  /** Whether memory is limited. */
  readonly memory: boolean
  /** Whether the number of processes is limited. */
  readonly processes: boolean
  /**
   * Whether CPU time per second is limited.
   *
   * @default false
   */
  readonly cpu?: boolean | undefined
  /**
   * Whether the total size of files that programs write is limited.
   *
   * @default false
   */
  readonly disk?: boolean | undefined
}

/** Limits on programs, as determined at startup. A resource without a limit is left out. */
export interface LimitsInForce {
  /** Memory, in bytes. */
  readonly memoryBytes?: number
  /** Number of processes and threads. */
  readonly pids?: number
  /** Number of CPUs, which can be fractional. */
  readonly cpus?: number
  /**
   * Size of the files that programs can write, in bytes: for a pod in total, for a container in the working directory, and the same in
   * `/tmp` and the home directory.
   */
  readonly diskBytes?: number
}
