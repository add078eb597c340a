/**
 * The isolation of the code from this machine: `none` (an ordinary process of the same user), `sandbox` (a process that
 * the operating system confines), `container` or `vm`.
 */
export type Isolation = 'none' | 'sandbox' | 'container' | 'vm'

/** The isolation of a run. Every result has one. */
export interface IsolationStatement {
  /** The kind of isolation. */
  kind: Isolation
  /** Whether the code could reach the network. */
  network: boolean
  /**
   * Details, by the names of the executor's options: `runtime`, `readable`, ... It has the limits that were in force:
   * `memoryBytes`, `pids`, `cpus`, `diskBytes`. A limit that the machine could not enforce is absent.
   */
  particulars: IsolationParticulars
}

/** Plain data by option name. */
export type IsolationParticulars = Readonly<Record<string, string | number | boolean>>
