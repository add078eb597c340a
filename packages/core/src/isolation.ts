/**
 * The code's isolation from this machine: `none` (an ordinary process run by the same user), `sandbox` (a process confined by the
 * operating system), `container` or `vm`.
 */
export type Isolation = 'none' | 'sandbox' | 'container' | 'vm'

/** Isolation level of a run, reported in every result. */
export interface IsolationStatement {
  /** Isolation level. */
  kind: Isolation
  /** Whether the code had network access. */
  network: boolean
  /**
   * Details keyed by the executor's option names: `runtime`, `readable`, ... Includes the limits that were in force:
   * `memoryBytes`, `pids`, `cpus`, `diskBytes`. Limits that the machine could not enforce are left out.
   */
  particulars: IsolationParticulars
}

/** Plain data, keyed by option name. */
export type IsolationParticulars = Readonly<Record<string, string | number | boolean>>
