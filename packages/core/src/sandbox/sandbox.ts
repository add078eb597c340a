import type { Duplex } from 'node:stream'
import type { SandboxNetwork } from '../network/network-observer.ts'
import type { Isolation, NetworkAccess } from '../vocabulary/isolation.ts'
import type { BoundedResources, LimitsInForce } from '../vocabulary/limits.ts'
import type { StartOptions } from '../vocabulary/start-options.ts'
import type { SandboxUsage } from '../vocabulary/usage.ts'
import type { HostWorkDirectory } from '../work-directory/host-work-directory.ts'
import type { SandboxProcesses } from './process-list.ts'
import type { SandboxFiles } from './sandbox-files.ts'
import type { SandboxProcess, SpawnOptions } from './sandbox-process.ts'

/** A sandbox's capabilities and guarantees. Check these instead of using `instanceof`. */
export interface SandboxCapabilities {
  /** Isolation level. `none` means no isolation at all: processes are ordinary processes run by this user. */
  readonly isolation: Isolation
  /** Network access of the sandbox's processes. `none` is a guarantee. */
  readonly network: NetworkAccess
  /** Paths that `files` can access: all paths that the sandbox's processes see, or only its `directory`. */
  readonly files: 'whole' | 'directory'
  /** Whether `connect` can reach ports on which the sandbox's processes listen. */
  readonly ports: boolean
  /** Whether another process can return to the sandbox by its `id`. */
  readonly resumable: boolean
  /**
   * Whether `start` accepts a `preparation`.
   *
   * @default false
   */
  readonly preparable?: boolean | undefined
  /**
   * Whether `pause` stops all processes at once.
   *
   * @default false
   */
  readonly pause?: boolean | undefined
  /**
   * Whether an approver is asked before a process starts or a file is changed. Reading asks nothing. `spawn` and changes to files reject
   * with FencedError `APPROVAL_DENIED` after a denial. `spawn` refuses `stdin: 'open'` and `terminal`, `shared` is `undefined`, and `network` only
   * observes.
   *
   * @default false
   */
  readonly asks?: boolean | undefined
  /** Resources that are limited. `true` is a guarantee. */
  readonly limits: BoundedResources
}

/** Work that is done once for many sandboxes created with the same options. */
export interface SandboxPreparation {
  /** Name that identifies what `prepare` does. Different work needs a different name. */
  readonly identity: string
  /**
   * Does the work in a started sandbox. Anything it writes is stored on this machine or its engine and given to every sandbox
   * with the same identity, so it must not contain secrets.
   */
  prepare(sandbox: ExecutorSandbox, options: { readonly signal: AbortSignal }): Promise<void>
}

/** Options for {@link Sandbox.start}. */
export interface StartSandboxOptions extends StartOptions {
  /**
   * Lets the sandbox outlive this process for a time after its last use, so that another process can resume it. Rejects with
   * FencedError `NOT_RESUMABLE` if `capabilities.resumable` is `false`.
   *
   * @default the sandbox does not outlive this process
   */
  readonly detached?: { readonly expiresInMs: number } | undefined
  /**
   * The {@link Sandbox.id} of a detached sandbox to resume, which another process created with the same options. The sandbox
   * keeps its files and processes, but there are no handles for those processes. Rejects with `SANDBOX_GONE` if the sandbox does
   * not exist, and with `NOT_RESUMABLE` if it was created with different options.
   *
   * @default a new sandbox is created
   */
  readonly resume?: string | undefined
  /**
   * Creates the sandbox from files that this work prepares. The first sandbox in any process does the work once, while others
   * wait for it. Available only if `capabilities.preparable` is `true`. If the work fails, rejects with its error and stores no
   * files.
   *
   * @default the sandbox is created only from its options
   */
  readonly preparation?: SandboxPreparation | undefined
}

/** An environment for processes, with files and ports. */
export interface Sandbox extends AsyncDisposable {
  /** Name of the kind of sandbox: `local`, `bubblewrap`, `docker`, or a third party's own name. */
  readonly name: string
  /** The sandbox's capabilities, including its isolation level. */
  readonly capabilities: SandboxCapabilities
  /** Working directory as the sandbox's processes see it: an absolute path. */
  readonly directory: string
  /**
   * Directory on this machine that is visible as `directory`, if any. The engine then uses it directly and does not follow links.
   * Otherwise, files are copied. Known after the start.
   */
  readonly shared: HostWorkDirectory | undefined
  /**
   * Limits on the sandbox's programs, as determined at the last start. `undefined` before the first start.
   *
   * @default unknown: results report the limits that were requested
   */
  readonly limitsInForce?: LimitsInForce | undefined
  /** ID of this incarnation. Each start has a new ID and no processes from before. `undefined` if the sandbox is not started. */
  readonly id: string | undefined
  /**
   * Starts the sandbox. Concurrent calls share one start. If the sandbox was lost, creates a new incarnation. If the signal is
   * aborted, rejects with its reason and leaves nothing behind.
   */
  start(options?: StartSandboxOptions): Promise<void>
  /**
   * Finds programs by name and returns their commands, which are usually absolute paths. Programs that are not found are left out
   * of the map.
   */
  which(
    names: readonly string[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<ReadonlyMap<string, string>>
  /**
   * Starts a program.
   *
   * Rejects only if nothing was started, so the call can be repeated: with the signal's reason, with `SANDBOX_GONE` if the
   * sandbox does not exist (any more), or with `NO_RESOURCES`. All other failures are reported as an end of the process: see
   * `ProcessEnd`.
   *
   * @param command - The program and its arguments. No shell is involved.
   */
  spawn(command: readonly [string, ...string[]], options?: SpawnOptions): Promise<SandboxProcess>
  /** Processes that were started with `spawn` and are running. */
  readonly processes: SandboxProcesses
  /** Returns a running process by its `id`, to follow its output and to send it signals; `undefined` if it has ended. */
  process(id: string): SandboxProcess | undefined
  /** Observes and approves the sandbox's connections. Present if `capabilities.network` is `list`. */
  readonly network?: SandboxNetwork | undefined
  /** Files as the sandbox's processes see them. `capabilities.files` determines which paths are available. */
  readonly files: SandboxFiles
  /**
   * Connects to a TCP port on which a process in the sandbox listens on its loopback interface. Each direction can be closed
   * separately. Rejects with `SANDBOX_PORT_CLOSED` if nothing is listening, or if `capabilities.ports` is `false`. If the
   * connection has `ref` and `unref`, they control whether it keeps this Node process alive, which it initially does.
   */
  connect(port: number, options?: { readonly signal?: AbortSignal }): Promise<Duplex>
  /** Measures the resources that the sandbox uses now. Rejects with `SANDBOX_GONE` if the sandbox does not exist (any more). */
  usage(options?: { readonly signal?: AbortSignal }): Promise<SandboxUsage>
  /** Whether the sandbox is paused. */
  readonly isPaused: boolean
  /**
   * Stops all processes where they are until `resume`. They keep their memory and use no processor time. Meanwhile, `spawn`, `which` and
   * other calls that need a process in the sandbox reject with `SANDBOX_PAUSED`, as do blocks. The time limit of a running block stands
   * still. `stop` works as usual. Rejects with `NOT_PAUSABLE` if `capabilities.pause` is `false`. Has no effect if the sandbox is paused.
   */
  pause(): Promise<void>
  /** Continues all processes. Has no effect if the sandbox is not paused. */
  resume(): Promise<void>
  /**
   * Calls a function when the sandbox is paused or resumed, until the returned object is disposed of.
   *
   * @default the sandbox cannot be paused
   */
  watchPause?(watcher: (isPaused: boolean) => void): Disposable
  /**
   * Stops all of the sandbox's processes and removes it, even if it is detached. Calling it again has no effect, unless it
   * failed; it then tries again.
   */
  stop(): Promise<void>
}

/** An executor's sandbox, for processes, files and ports alongside its blocks. Only the executor can start and stop it. */
export type ExecutorSandbox = Pick<
  Sandbox,
  | 'name'
  | 'capabilities'
  | 'directory'
  | 'shared'
  | 'limitsInForce'
  | 'id'
  | 'network'
  | 'which'
  | 'spawn'
  | 'files'
  | 'connect'
  | 'processes'
  | 'process'
  | 'usage'
  | 'isPaused'
  | 'pause'
  | 'resume'
>
