/** The bounded resources of programs. `true` is a promise that already holds before the start. */
export interface BoundedResources {
  /** Whether memory is bounded. */
  readonly memory: boolean
  /** Whether the number of processes is bounded. */
  readonly processes: boolean
  /**
   * Whether the processor time per second is bounded.
   *
   * @default false
   */
  readonly cpu?: boolean | undefined
  /**
   * Whether the size of all files that programs write is bounded.
   *
   * @default false
   */
  readonly disk?: boolean | undefined
}

/** Limits that hold for programs, as they were found at the start. A resource without a limit is left out. */
export interface LimitsInForce {
  /** Memory, in bytes. */
  readonly memoryBytes?: number
  /** Number of processes and threads. */
  readonly pids?: number
  /** Number of processors, with a fraction. */
  readonly cpus?: number
  /** Size of all files that programs write, in bytes. */
  readonly diskBytes?: number
}
