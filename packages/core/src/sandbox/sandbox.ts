import type { Duplex } from 'node:stream'
import type { Isolation } from '../isolation.ts'
import type { BoundedResources, LimitsInForce } from '../limits.ts'
import type { SandboxNetwork } from '../network/network-connection.ts'
import type { StartOptions } from '../start-options.ts'
import type { HostWorkDirectory } from '../work-directory/host-work-directory.ts'
import type { SandboxFiles } from './sandbox-files.ts'
import type { SandboxProcess, SpawnOptions } from './sandbox-process.ts'

/** Capabilities and promises of a sandbox. Read them instead of `instanceof`. */
export interface SandboxCapabilities {
  /** `none` says that it isolates nothing: its processes are ordinary ones of this user. */
  readonly isolation: Isolation
  /**
   * `none` is a promise: no process in it reaches a network. `custom`: it only reaches the hosts of a list. `open`: it has
   * the network of its machine.
   */
  readonly network: 'none' | 'custom' | 'open'
  /** The paths that `files` reaches: all paths of its processes, or only its `directory`. */
  readonly files: 'whole' | 'directory'
  /** Whether `connect` reaches a port on which a process in it listens. */
  readonly ports: boolean
  /** Whether another process can come back to it by its `id`. */
  readonly resumable: boolean
  /**
   * Whether `start` takes a `preparation`.
   *
   * @default false
   */
  readonly preparable?: boolean | undefined
  /** The bounded resources. `true` is a promise. */
  readonly limits: BoundedResources
}

/** Work that is done once for many sandboxes which are made with the same options. */
export interface SandboxPreparation {
  /** Names what `prepare` does: other work has another name. */
  readonly identity: string
  /**
   * Does the work in a started sandbox. What it writes is kept on this machine or its engine, and given to every sandbox of the
   * identity, so there must be no secret in it.
   */
  prepare(sandbox: ExecutorSandbox, options: { readonly signal: AbortSignal }): Promise<void>
}

/** Options of {@link Sandbox.start}. */
export interface StartSandboxOptions extends StartOptions {
  /**
   * Lets it outlive this process, so that another process can resume it, for a time after its last use. Rejects
   * with FencedError `NOT_RESUMABLE` where `capabilities.resumable` is `false`.
   *
   * @default nothing of it outlives this process
   */
  readonly detached?: { readonly expiresInMs: number } | undefined
  /**
   * Resumes the detached sandbox with this {@link Sandbox.id}, which another process made with the same options. It keeps
   * its files and processes, but there are no handles for these processes. Rejects with `SANDBOX_GONE` when the
   * sandbox does not exist, and with `NOT_RESUMABLE` when it was made with different options.
   *
   * @default a new one is made
   */
  readonly resume?: string | undefined
  /**
   * Makes it from the files of this work, which the first sandbox in any process does once, while other sandboxes wait.
   * Only where `capabilities.preparable` is `true`. Rejects with the error of the work, and then keeps no files.
   *
   * @default it is made from its options only
   */
  readonly preparation?: SandboxPreparation | undefined
}

/** An environment for processes, with files and ports. */
export interface Sandbox extends AsyncDisposable {
  /** `local`, `bubblewrap`, `docker`, or a third party's name. */
  readonly name: string
  /** Its capabilities, and how strongly it isolates. */
  readonly capabilities: SandboxCapabilities
  /** The working directory as its processes see it: an absolute path. */
  readonly directory: string
  /**
   * The directory of this machine that `directory` shows, if any: the engine then uses it directly and follows no link.
   * Otherwise files are copied. Known after the start.
   */
  readonly shared: HostWorkDirectory | undefined
  /**
   * Limits of its programs, as the last start found them; `undefined` before the first start.
   *
   * @default not known: results name the limits that were asked for
   */
  readonly limitsInForce?: LimitsInForce | undefined
  /** Names this incarnation: each start has a new id and no earlier processes. `undefined` unless it has started. */
  readonly id: string | undefined
  /**
   * Makes it ready. Calls at the same time share one start. After a loss it makes a new incarnation. Rejects with the signal's
   * reason when it is aborted, and leaves nothing behind.
   */
  start(options?: StartSandboxOptions): Promise<void>
  /** Finds programs by name. Returns their commands, usually absolute paths. Missing programs are absent from the map. */
  which(
    names: readonly string[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<ReadonlyMap<string, string>>
  /**
   * Starts a program.
   *
   * It rejects only when nothing has begun, so that it may be called again: with the signal's reason, `SANDBOX_GONE` when
   * there is no sandbox (any more), `NO_RESOURCES`. Everything else that can happen is an end: see `ProcessEnd`.
   *
   * @param command - the program and its arguments. No shell takes part.
   */
  spawn(command: readonly [string, ...string[]], options?: SpawnOptions): Promise<SandboxProcess>
  /** Observers and approvers of its connections. Present where `capabilities.network` is `custom`. */
  readonly network?: SandboxNetwork | undefined
  /** The files that its processes see: `capabilities.files` says how far. */
  readonly files: SandboxFiles
  /**
   * Connects to a TCP port on which a process in it listens on its loopback. Each direction ends separately. Rejects
   * with `SANDBOX_PORT_CLOSED` when nothing listens there, and where `capabilities.ports` is `false`. With `ref` and `unref`, where it has them, it keeps this
   * Node process going, as it does at first, or not.
   */
  connect(port: number, options?: { readonly signal?: AbortSignal }): Promise<Duplex>
  /** Ends all its processes and takes it down, also a detached one. Calling it again does nothing; after a failure it tries again. */
  stop(): Promise<void>
}

/** An executor's sandbox, for processes, files and ports beside its blocks. What starts and stops it is the executor's. */
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
>
