/**
 * The code's isolation from this machine: `none` (an ordinary process run by the same user), `bubblewrap` (a process that
 * bubblewrap confines), `container` or `vm`.
 */
export type Isolation = 'none' | 'bubblewrap' | 'container' | 'vm'

/**
 * Network access of code, in capabilities and results. `none` is a guarantee: no network can be reached. `list`: only the hosts on
 * an allowlist can be reached. `open`: the code uses the network of its machine, engine or cluster.
 */
export type NetworkAccess = 'none' | 'list' | 'open'

/** Isolation level of a run, reported in every result. */
export interface IsolationStatement {
  /** Isolation level. */
  kind: Isolation
  /** Network access of the code. */
  network: NetworkAccess
  /**
   * Details keyed by the executor's option names: `runtime`, `readable`, ... Includes the limits that were in force:
   * `memoryBytes`, `pids`, `cpus`, `diskBytes`. Limits that the machine could not enforce are left out.
   */
  particulars: IsolationParticulars
}

/** Plain data, keyed by option name. */
export type IsolationParticulars = Readonly<Record<string, string | number | boolean>>
