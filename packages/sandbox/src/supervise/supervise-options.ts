import type { LimitsInForce, NetworkAllowlist, Notice } from '@fenced/core'
import type { HostWorkDirectory, StartContext } from '@fenced/core/driver'
import type { OptionNames } from '@fenced/core/internal'
import type { SandboxBackend, SandboxCapabilities, StartSandboxOptions } from '@fenced/core/sandbox'
import type { Lookup } from '../network/network-gate.ts'
import type { SandboxFacts } from './probe.ts'

/** Options for `SupervisedSandbox`. */
export interface SuperviseOptions {
  /** Name of the sandbox: `docker`, or a third party's own name. */
  readonly name: string
  /** Capabilities specific to this kind of sandbox. Files, ports and resuming work the same for all. */
  readonly capabilities: Pick<SandboxCapabilities, 'isolation' | 'network' | 'limits'>
  /** Creates a sandbox. Called for every incarnation, one at a time. If it rejects, it must leave nothing behind. */
  launch(context: LaunchContext): Promise<LaunchedSandbox>
  /**
   * Whether `launch` supports `detached` and `resume`. A detached sandbox must terminate itself if no process has been started in
   * it for the duration given in `detached`, even if other processes are still running there.
   *
   * @default false
   */
  readonly resumable?: boolean | undefined
  /**
   * Whether `launch` supports `preparation`.
   *
   * @default false
   */
  readonly preparable?: boolean | undefined
  /**
   * Whether backends have `pause` and `resume`.
   *
   * @default false
   */
  readonly pausable?: boolean | undefined
  /**
   * Hosts that programs can reach from a sandbox without a network. `capabilities.network` is then `list`. A sandbox is used
   * only after a test inside it confirms that nothing else can be reached. Otherwise, `start` rejects with `NETWORK_NOT_CLOSED`
   * or `NETWORK_HELPER_FAILED`.
   *
   * @default determined by `capabilities.network`
   */
  readonly network?: SuperviseNetwork | undefined
  /**
   * Working directory on this machine. Its `path` (`mountedAt`) is where processes see it.
   *
   * @default a temporary directory, which processes see as `/workspace`
   */
  readonly workDirectory?: HostWorkDirectory | undefined
  /**
   * Whether `start` opens the working directory and `stop` closes it. `false` if the caller does both.
   *
   * @default true
   */
  readonly ownsWorkDirectory?: boolean | undefined
  /**
   * Names of programs to look for when the sandbox is first probed.
   *
   * @default []
   */
  readonly programs?: readonly string[] | undefined
  /**
   * Grace period between SIGTERM and SIGKILL when a program is stopped, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
}

export const superviseOptionNames: OptionNames<SuperviseOptions> = {
  name: true,
  capabilities: true,
  launch: true,
  resumable: true,
  preparable: true,
  pausable: true,
  network: true,
  workDirectory: true,
  ownsWorkDirectory: true,
  programs: true,
  killGraceMs: true,
}

/** Network allowlist for a sandbox. See {@link SuperviseOptions.network}. */
interface SuperviseNetwork {
  /** The allowlist. */
  readonly allowlist: NetworkAllowlist
  /**
   * Whether the sandbox has routes to other hosts and something else blocks the traffic, as in a pod with a network policy.
   * `launch` must then make sure that nothing gets out.
   *
   * @default false
   */
  readonly hasRoutes?: boolean | undefined
  /**
   * Resolves host names.
   *
   * @default this machine's resolver
   */
  readonly lookup?: Lookup | undefined
}

/** Context passed to `launch`. */
export type LaunchContext = StartContext & Pick<StartSandboxOptions, 'detached' | 'resume' | 'preparation'>

/** A sandbox that `launch` created or found, and how to use it. */
export interface LaunchedSandbox {
  /** Unique ID of the sandbox. */
  readonly id: string
  readonly backend: SandboxBackend
  /**
   * User that runs the processes.
   *
   * @default the backend's own user
   */
  readonly user?: string | undefined
  /**
   * User that runs the helper for a network allowlist. If this differs from the processes' user, the processes cannot kill the
   * helper.
   *
   * @default `user`
   */
  readonly helperUser?: string | undefined
  /**
   * Whether the sandbox mounts the working directory on this machine. Otherwise, the directory is copied in before each block and
   * back out afterward.
   *
   * @default false
   */
  readonly isMounted?: boolean | undefined
  /**
   * Whether the sandbox belongs to a single caller, as a dedicated container does. If so, processes that a block left behind can
   * be recognized by their hard limit for core files, which is 0. Even a process that left its session and cleared its
   * environment then ends with the block. When a block ends, all of the user's processes in the sandbox are paused for a moment,
   * so set this only if the sandbox has its own process namespace and a process 1 that reaps orphans. It has no effect in the
   * machine's own process namespace. With `false`, such a process keeps running and the notice `left-behind` reports it, except
   * in the machine's process namespace.
   *
   * @default false
   */
  readonly isExclusive?: boolean | undefined
  /**
   * Whether the sandbox has its own control group (cgroup), whose files in `/sys/fs/cgroup` tell what the sandbox uses.
   *
   * @default false: `usage()` does not know the processor time, memory and number of processes
   */
  readonly hasControlGroup?: boolean | undefined
  /**
   * Whether the process for the next block may be started in advance while the executor is idle.
   *
   * @default true
   */
  readonly startsAhead?: boolean | undefined
  /**
   * Shell script that runs once, before anything else.
   *
   * @default none
   */
  readonly initCommand?: string | undefined
  /**
   * Facts already known from inspecting the sandbox.
   *
   * @default the sandbox is probed
   */
  readonly facts?: SandboxFacts | undefined
  /**
   * Limits that apply in the sandbox.
   *
   * @default unknown
   */
  readonly limits?: LimitsInForce | undefined
  /**
   * Whether `stop` leaves the sandbox running. A sandbox that is replaced is removed anyway.
   *
   * @default false
   */
  readonly outlivesStop?: boolean | undefined
  /**
   * Removes a sandbox that turns out to be unusable. Must not reject.
   *
   * @default same as `backend.remove`
   */
  discard?(): Promise<void>
}

/** What is said when a sandbox is replaced because it was lost. */
export const replaced: Notice = {
  code: 'container-replaced',
  message:
    'The sandbox was replaced because it had ended or lost its working directory. Packages and processes from earlier blocks are lost. Files in the working directory are kept.',
}
