import type { CodeBlock } from './code-block.ts'
import type { Notice } from './code-result.ts'
import type { ComponentConfig, ToConfigOptions } from './configuration/component-config.ts'
import type { Execution } from './execution.ts'

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
  /** What else bounds it, in the words of the place's own options: `runtime`, `memoryBytes`, ... */
  particulars: IsolationParticulars
}

/** Plain data by the name of an option. */
export type IsolationParticulars = Readonly<Record<string, string | number | boolean>>

/** What an executor can do and what it promises. Data, to be read instead of `instanceof`. */
export interface ExecutorCapabilities {
  /** Ids of the languages that it runs. Whether their interpreters are installed shows when one is asked for. */
  readonly languages: readonly string[]
  readonly isolation: Isolation
  /** What goes into the {@link IsolationStatement} of its results beside this. Default none. */
  readonly isolationParticulars?: IsolationParticulars
  /** Whether variables live on from one block to the next. */
  readonly stateful: boolean
  /** Whether `results` can hold more than text. */
  readonly richOutput: boolean
  /** Whether the code can reach the network. `false` is a promise. */
  readonly network: boolean
  /** What it installs by itself when a program lacks it; absent when it installs nothing. */
  readonly installablePackages?: readonly string[] | 'any'
  /** Which resources of the code are bounded. `true` is a promise. */
  readonly limits: {
    readonly memory: boolean
    readonly processes: boolean
  }
}

/** Options of one call of `start`. */
export interface StartOptions {
  /** Gives the start up, unless somebody else waits for it as well. */
  signal?: AbortSignal | undefined
  /** Hears how the start goes: an image is pulled, leftovers were removed. Must not throw. */
  onNotice?: ((notice: Notice) => void) | undefined
}

/** Options of one call of `execute`. */
export interface ExecuteOptions {
  /** Ends the run with the status `cancelled`; also while it waits for its turn or for the place to start. */
  signal?: AbortSignal | undefined
  /** Time limit for each block in milliseconds. Default: the executor's own `timeoutMs`. */
  timeoutMs?: number | undefined
}

/** A place that runs code blocks. */
export interface CodeExecutor extends AsyncDisposable {
  /** `local`, `docker`, `jupyter`, or a third party's name. */
  readonly name: string
  readonly capabilities: ExecutorCapabilities
  /** The working directory as this machine sees it, known before the start; `undefined` where there is none. */
  readonly workDir: string | undefined
  /**
   * Makes the place ready. Not needed before `execute`, which does it on its first call; needed after `stop`.
   * Calls at the same time share one start. Rejects with the signal's reason when it is aborted, and leaves nothing behind.
   */
  start(options?: StartOptions): Promise<void>
  /**
   * Runs blocks in order and stops at the first that fails. Calls queue up and run one after the other.
   * The code's failure is a result; only misuse and faults of the infrastructure reject.
   */
  execute(blocks: readonly CodeBlock[], options?: ExecuteOptions): Execution
  /** Ends what runs and makes the place new; files in the working directory stay. */
  restart(): Promise<void>
  /** Ends what runs and takes the place down. Calling it again does nothing. */
  stop(): Promise<void>
  /** What it is made of, for `loadExecutor`. Absent where it cannot say so. @throws FencedError `NOT_CONFIGURABLE`. */
  toConfig?(options?: ToConfigOptions): ComponentConfig
}
