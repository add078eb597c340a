import type { ApproveInstall } from './approval/ask-requests.ts'
import type { DecisionLedger } from './approval/decision-ledger.ts'
import type { AnswerInput } from './approval/input-request.ts'
import type { ApproveNetwork } from './approval/network-request.ts'
import type { CodeBlock } from './code-block.ts'
import type { ComponentConfig, ToConfigOptions } from './configuration/component-config.ts'
import type { Execution } from './execution.ts'
import type { HostToolOptions } from './host-tools/host-tool.ts'
import type { Isolation, IsolationParticulars } from './isolation.ts'
import type { BoundedResources } from './limits.ts'
import type { ExecutorSandbox } from './sandbox/sandbox.ts'
import type { StartOptions } from './start-options.ts'

/** Capabilities and promises of an executor. Read them instead of `instanceof`. */
export interface ExecutorCapabilities {
  /** Ids of the languages that it runs. Whether their interpreters are installed shows when one is asked for. */
  readonly languages: readonly string[]
  /** Isolation of the code from this machine. */
  readonly isolation: Isolation
  /** Further particulars for the {@link IsolationStatement} of its results. Default none. */
  readonly isolationParticulars?: IsolationParticulars
  /**
   * Further particulars of the target of an approval: limits other than the defaults (`timeoutMs`, `maxOutputBytes`,
   * `onOutputLimit`), the interpreter (`python`, `kernelName`), the names of variables (`env`), and a hash of values that are not shown
   * (`valuesHash`). A `DriverExecutor` fills it in. Default none.
   */
  readonly approvalParticulars?: IsolationParticulars
  /** Whether variables live on from one block to the next. */
  readonly stateful: boolean
  /** Whether a block shows what it computes, as in a notebook: the value of its last line, tables, widgets. */
  readonly richOutput: boolean
  /** Whether the code can reach the network. `false` is a promise. */
  readonly network: boolean
  /** Ids of the languages whose programs can call tools of the host: see {@link ExecuteOptions.tools}. Default none. */
  readonly toolLanguages?: readonly string[]
  /**
   * Whether connections outside of the network list can be asked about: see {@link ExecuteOptions.approveNetwork}. A `DriverExecutor`
   * fills it in. Default `false`.
   */
  readonly networkRequests?: boolean
  /** Whether a program can read lines from a person while it runs: see {@link ExecuteOptions.answerInput}. Default `false`. */
  readonly inputRequests?: boolean
  /** Packages that it installs when a program lacks them. Absent when it installs nothing. */
  readonly installablePackages?: readonly string[] | 'any'
  /** Source of the packages, such as the address of an index; absent where the installer's own configuration decides. */
  readonly packageIndex?: string
  /** The resources that are certainly bounded. A result has the limits that were in force. */
  readonly limits: BoundedResources
}

/** Options of one call of `execute`. */
export interface ExecuteOptions extends HostToolOptions {
  /** Ends the run with the status `cancelled`; also while it waits for its turn or for the executor to start. */
  signal?: AbortSignal | undefined
  /** Time limit for each block in milliseconds. Default: the executor's own `timeoutMs`. */
  timeoutMs?: number | undefined
  /** Total time for which a block may wait for people, in milliseconds. Default: `maxWaitMs` of the executor. */
  maxWaitMs?: number | undefined
  /**
   * Called for each connection to a host that is not in the network list of the sandbox. The program and its time limit
   * wait, up to `maxWaitMs`. A call of `execute` asks about up to 100 hosts and refuses the rest.
   *
   * Rejects with FencedError `NETWORK_APPROVAL_UNSUPPORTED` where `capabilities.networkRequests` is not true: the network of the
   * executor is not a list.
   *
   * @default they are refused
   */
  approveNetwork?: ApproveNetwork | undefined
  /**
   * Answers a program that reads a line while it runs (`input()` in Python), while the program waits and its time limit with it, up to
   * `maxWaitMs`.
   *
   * Rejects with FencedError `INPUT_UNSUPPORTED` where `capabilities.inputRequests` is not true: programs have no standard input there.
   *
   * @default programs have no standard input
   */
  answerInput?: AnswerInput | undefined
  /**
   * Called before a missing package among `capabilities.installablePackages` is installed. The program has ended, so its time limit does not
   * run; `maxWaitMs` applies. A denial, or a rejection, installs nothing: the block keeps its failure, with the notice `install-denied`.
   *
   * @default installable packages are installed without a question
   */
  approveInstall?: ApproveInstall | undefined
  /**
   * Records the calls of tools about which `approveTool` decides, and the installations about which `approveInstall` decides, so that each
   * decision is used at most once. A call whose end is unknown is named in the next question about the same call. The decision about the
   * code is the caller's, and is not recorded here.
   *
   * @default calls and installations are not recorded
   */
  ledger?: DecisionLedger | undefined
}

/** Runs code blocks. */
export interface CodeExecutor extends AsyncDisposable {
  /** `local`, `docker`, `jupyter`, or a third party's name. */
  readonly name: string
  /** Its capabilities and promises. */
  readonly capabilities: ExecutorCapabilities
  /** Path of the working directory on this machine, known before the start. `undefined` without a working directory. */
  readonly workDir: string | undefined
  /**
   * Processes, files and ports beside the blocks, where those run in a sandbox. It is there while the executor is started.
   * An executor that asks for approval has none: nothing gets round its questions.
   */
  readonly sandbox?: ExecutorSandbox | undefined
  /**
   * Starts what the blocks run in. Not needed before `execute`, which does it on its first call; needed after `stop`.
   * Calls at the same time share one start. Rejects with the signal's reason when it is aborted, and leaves nothing behind.
   */
  start(options?: StartOptions): Promise<void>
  /**
   * Runs blocks in order and stops at the first that fails. Calls queue up and run one after the other.
   * The code's failure is a result; only misuse and faults of the infrastructure reject.
   */
  execute(blocks: readonly CodeBlock[], options?: ExecuteOptions): Execution
  /** Ends what runs and starts afresh; files in the working directory stay. */
  restart(): Promise<void>
  /** Ends what runs, and all that `start` made. Calling it again does nothing. */
  stop(): Promise<void>
  /** Returns the config for `loadExecutor`. Absent for an executor without a config. @throws FencedError `NOT_CONFIGURABLE`. */
  toConfig?(options?: ToConfigOptions): ComponentConfig
}
