import type { ProcessRole, SandboxProcess, SpawnOptions } from './sandbox-process.ts'

/** A process that was started through its sandbox, as plain data. */
export interface SandboxProcessInfo {
  /** ID of the process in its sandbox. */
  readonly id: string
  /** The program and its arguments. */
  readonly command: readonly string[]
  /** Time of the start, in ISO 8601 format. */
  readonly startedAt: string
  /** Lifetime of the process. */
  readonly role: ProcessRole
}

/** Processes that were started through a sandbox, and are running. */
export interface SandboxProcesses {
  /**
   * Returns the processes that this sandbox object has started with `spawn`, in the order of their start. Leaves out what these processes
   * start, Fenced's own resident interpreters, and processes from before a `resume`.
   */
  list(): readonly SandboxProcessInfo[]
}

/** Remembers the processes that were started, until they end. */
export class ProcessList implements SandboxProcesses {
  readonly #processes = new Map<
    string,
    { readonly info: SandboxProcessInfo; readonly process: SandboxProcess }
  >()
  #count = 0

  list(): readonly SandboxProcessInfo[] {
    return [...this.#processes.values()].map(({ info }) => info)
  }

  get(id: string): SandboxProcess | undefined {
    return this.#processes.get(id)?.process
  }

  /** Adds a process, unless it is one of Fenced's own. */
  add<Started extends SandboxProcess>(
    process: Started,
    command: readonly string[],
    { role = 'process', reapsOrphans = false }: SpawnOptions,
  ): Started {
    if (reapsOrphans) return process
    const id = `${++this.#count}`
    const info = { id, command: [...command], startedAt: new Date().toISOString(), role }
    this.#processes.set(id, { info, process })
    const remove = () => this.#processes.delete(id)
    process.ended.then(remove, remove)
    return Object.assign(process, { id })
  }
}
