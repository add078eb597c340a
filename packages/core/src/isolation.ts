/**
 * What stands between the code and this machine, as data:
 * `none` (an ordinary process of the same user), `sandbox` (a process that the operating system confines),
 * `container`, `vm`.
 */
export type Isolation = 'none' | 'sandbox' | 'container' | 'vm'

/** What stood between the code of a run and this machine. It goes with every result. */
export interface IsolationStatement {
  kind: Isolation
  /** Whether the code could reach the network. */
  network: boolean
  /**
   * What else bounds it, in the words of the executor's own options: `runtime`, `readable`, ... Of the limits, it has those that were in
   * force: `memoryBytes`, `pids`, `cpus`, `diskBytes`. A limit that the machine could not hold is left out.
   */
  particulars: IsolationParticulars
}

/** Plain data by the name of an option. */
export type IsolationParticulars = Readonly<Record<string, string | number | boolean>>
