import type { CodeBlock } from '@fenced/markdown'
import type { AskOptions } from './approval/ask-options.ts'
import type { ComponentConfig, ToConfigOptions } from './configuration/component-config.ts'
import type { Execution } from './execution.ts'
import type { ExecutorSandbox } from './sandbox/sandbox.ts'
import type { PythonSession } from './session/python-session.ts'
import type { HostToolOptions } from './vocabulary/host-tool.ts'
import type { Isolation, IsolationParticulars, NetworkAccess } from './vocabulary/isolation.ts'
import type { BoundedResources } from './vocabulary/limits.ts'
import type { StartOptions } from './vocabulary/start-options.ts'

/** An executor's capabilities and guarantees. Check these instead of using `instanceof`. */
export interface ExecutorCapabilities {
  /** IDs of the languages that the executor can run. A missing interpreter is reported only when it is needed. */
  readonly languages: readonly string[]
  /** The code's isolation from this machine. */
  readonly isolation: Isolation
  /** Further details for the {@link IsolationStatement} of each result. Default: none. */
  readonly isolationParticulars?: IsolationParticulars
  /**
   * Further details for an approval's target: limits other than the defaults (`timeoutMs`, `maxOutputBytes`, `onOutputLimit`),
   * the interpreter (`python`, `kernelName`), the names of environment variables (`env`), and a hash of values that are not shown
   * (`valuesHash`). A `DriverExecutor` fills this in. Default: none.
   */
  readonly approvalParticulars?: IsolationParticulars
  /** IDs of the languages whose variables persist from one block to the next. Empty if each block is a separate process. */
  readonly stateful: readonly string[]
  /** Whether a block displays results as in a notebook: the value of its last line, tables, widgets. */
  readonly richOutput: boolean
  /** Network access of the code. `none` is a guarantee. */
  readonly network: NetworkAccess
  /** IDs of the languages whose programs can call host tools; see {@link ExecuteOptions.tools}. Default: none. */
  readonly toolLanguages?: readonly string[]
  /** Whether connections outside the network allowlist are asked about. A `DriverExecutor` fills this in. Default: `false`. */
  readonly networkRequests?: boolean
  /** Whether a running program can read lines that `ask` answers. Default: `false`. */
  readonly inputRequests?: boolean
  /** Packages that the executor installs if a program needs them. Absent if it installs none. */
  readonly installablePackages?: readonly string[] | 'any'
  /** Source of the packages, such as an index URL. Absent if the installer's own configuration decides. */
  readonly packageIndex?: string
  /** Resources that are guaranteed to be limited. Each result reports the limits that were in force. */
  readonly limits: BoundedResources
}

/** Options for one call to `execute`. */
export interface ExecuteOptions extends AskOptions, HostToolOptions {
  /** Ends the run with the status `cancelled`, even while it waits for its turn or for the executor to start. */
  signal?: AbortSignal | undefined
  /** Time limit for each block, in milliseconds. Default: the executor's own `timeoutMs`. */
  timeoutMs?: number | undefined
  /** Total time that a block may wait for people, in milliseconds. Default: the executor's `maxWaitMs`. */
  maxWaitMs?: number | undefined
}

/** Runs code blocks. */
export interface CodeExecutor extends AsyncDisposable {
  /** Name of the executor: `local`, `docker`, `jupyter`, or a third party's own name. */
  readonly name: string
  /** The executor's capabilities and guarantees. */
  readonly capabilities: ExecutorCapabilities
  /** Path of the working directory on this machine. Known before the start. `undefined` if there is no working directory. */
  readonly workDir: string | undefined
  /**
   * Processes, files and ports alongside the blocks, if the blocks run in a sandbox. Available while the executor is started. If
   * the executor has an `ask`, starting a process asks about the kind `process`, and changing a file asks about the kind `file`.
   */
  readonly sandbox?: ExecutorSandbox | undefined
  /** The live Python of an executor with `stateful: true`. Absent if the executor keeps no variables, or cannot return to earlier ones. */
  readonly session?: PythonSession | undefined
  /**
   * Starts the environment in which blocks run. Optional before the first `execute`, which calls it automatically, but required
   * after `stop`. Concurrent calls share one start. If the signal is aborted, rejects with its reason and leaves nothing behind.
   */
  start(options?: StartOptions): Promise<void>
  /**
   * Runs blocks in order and stops at the first failure. Calls are queued and run one at a time. If the code fails, that is a
   * result; the call rejects only for misuse and infrastructure faults.
   */
  execute(blocks: readonly CodeBlock[], options?: ExecuteOptions): Execution
  /**
   * Installs Python packages where the code runs, when the running calls have ended: pip requirements, such as `pandas` or
   * `pandas>=2`, out of the executor's `installablePackages`. With `ask`, asks about the kind `install`. A container is replaced, so its
   * processes and its files outside the working directory are lost. Absent if the executor can install no packages.
   *
   * @throws FencedError `PACKAGE_NOT_ALLOWED`, `INSTALL_FAILED`, `APPROVAL_DENIED`, `EXECUTOR_STOPPED`; the signal's reason if it is
   *   aborted.
   */
  readonly installPackages?:
    | ((packages: readonly string[], options?: StartOptions) => Promise<void>)
    | undefined
  /** Stops everything that is running and starts afresh. Files in the working directory are kept. */
  restart(): Promise<void>
  /** Stops everything that is running and removes everything that `start` created. Calling it again has no effect. */
  stop(): Promise<void>
  /** Returns the config for `loadExecutor`. Absent if the executor has no config. @throws FencedError `NOT_CONFIGURABLE`. */
  toConfig?(options?: ToConfigOptions): ComponentConfig
}
