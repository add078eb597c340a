import type { CodeBlock } from '@fenced/markdown'
import type { ApproveInstall } from './approval/ask-requests.ts'
import type { DecisionLedger } from './approval/decision-ledger.ts'
import type { AnswerInput } from './approval/input-request.ts'
import type { ApproveNetwork } from './approval/network-request.ts'
import type { ComponentConfig, ToConfigOptions } from './configuration/component-config.ts'
import type { Execution } from './execution.ts'
import type { HostToolOptions } from './host-tools/host-tool.ts'
import type { Isolation, IsolationParticulars } from './isolation.ts'
import type { BoundedResources } from './limits.ts'
import type { ExecutorSandbox } from './sandbox/sandbox.ts'
import type { StartOptions } from './start-options.ts'

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
  /** Whether variables persist from one block to the next. */
  readonly stateful: boolean
  /** Whether a block displays results as in a notebook: the value of its last line, tables, widgets. */
  readonly richOutput: boolean
  /** Whether the code can access the network. `false` is a guarantee. */
  readonly network: boolean
  /** IDs of the languages whose programs can call host tools; see {@link ExecuteOptions.tools}. Default: none. */
  readonly toolLanguages?: readonly string[]
  /**
   * Whether connections outside the network allowlist can be approved; see {@link ExecuteOptions.approveNetwork}. A
   * `DriverExecutor` fills this in. Default: `false`.
   */
  readonly networkRequests?: boolean
  /** Whether a running program can read lines from a person; see {@link ExecuteOptions.answerInput}. Default: `false`. */
  readonly inputRequests?: boolean
  /** Packages that the executor installs if a program needs them. Absent if it installs none. */
  readonly installablePackages?: readonly string[] | 'any'
  /** Source of the packages, such as an index URL. Absent if the installer's own configuration decides. */
  readonly packageIndex?: string
  /** Resources that are guaranteed to be limited. Each result reports the limits that were in force. */
  readonly limits: BoundedResources
}

/** Options for one call to `execute`. */
export interface ExecuteOptions extends HostToolOptions {
  /** Ends the run with the status `cancelled`, even while it waits for its turn or for the executor to start. */
  signal?: AbortSignal | undefined
  /** Time limit for each block, in milliseconds. Default: the executor's own `timeoutMs`. */
  timeoutMs?: number | undefined
  /** Total time that a block may wait for people, in milliseconds. Default: the executor's `maxWaitMs`. */
  maxWaitMs?: number | undefined
  /**
   * Called for each connection to a host that is not on the sandbox's network allowlist. The program and its time limit are
   * paused, for up to `maxWaitMs`. One call to `execute` asks about at most 100 hosts and refuses the rest.
   *
   * Rejects with FencedError `NETWORK_APPROVAL_UNSUPPORTED` if `capabilities.networkRequests` is not true, because the executor's
   * network is not an allowlist.
   *
   * @default such connections are refused
   */
  approveNetwork?: ApproveNetwork | undefined
  /**
   * Called when a running program reads a line (`input()` in Python). The program and its time limit are paused, for up to
   * `maxWaitMs`.
   *
   * Rejects with FencedError `INPUT_UNSUPPORTED` if `capabilities.inputRequests` is not true, because the executor's programs
   * have no standard input.
   *
   * @default programs have no standard input
   */
  answerInput?: AnswerInput | undefined
  /**
   * Called before a missing package from `capabilities.installablePackages` is installed. The program has already exited, so its
   * time limit is not running; `maxWaitMs` applies. If the function denies or rejects, nothing is installed, and the block keeps
   * its failure with the notice `install-denied`.
   *
   * @default installable packages are installed without asking
   */
  approveInstall?: ApproveInstall | undefined
  /**
   * Records the tool calls decided by `approveTool` and the installations decided by `approveInstall`, so that each decision is
   * used at most once. If the outcome of a call is unknown, the next question about the same call mentions it. The decision about
   * the code itself is left to the caller and is not recorded here.
   *
   * @default calls and installations are not recorded
   */
  ledger?: DecisionLedger | undefined
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
   * Processes, files and ports alongside the blocks, if the blocks run in a sandbox. Available while the executor is started. An
   * executor that asks for approval does not expose its sandbox, so nothing can bypass its questions.
   */
  readonly sandbox?: ExecutorSandbox | undefined
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
  /** Stops everything that is running and starts afresh. Files in the working directory are kept. */
  restart(): Promise<void>
  /** Stops everything that is running and removes everything that `start` created. Calling it again has no effect. */
  stop(): Promise<void>
  /** Returns the config for `loadExecutor`. Absent if the executor has no config. @throws FencedError `NOT_CONFIGURABLE`. */
  toConfig?(options?: ToConfigOptions): ComponentConfig
}
