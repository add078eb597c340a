import type { CustomNetwork, LimitsInForce, Notice } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type {
  HostWorkDirectory,
  SandboxBackend,
  SandboxCapabilities,
  StartSandboxOptions,
} from '@fenced/core/sandbox'
import type { Lookup } from '../network/network-gate.ts'
import type { SandboxFacts } from './probe.ts'

/** Options of `supervise`. */
export interface SuperviseOptions {
  /** The sandbox's name: `docker`, or a third party's. */
  readonly name: string
  /** What is particular to the kind of sandbox; files, ports and resuming are the same for all. */
  readonly capabilities: Pick<SandboxCapabilities, 'isolation' | 'network' | 'limits'>
  /** Makes a sandbox. Called for every incarnation, one at a time. Nothing of it may be left when it rejects. */
  launch(context: LaunchContext): Promise<LaunchedSandbox>
  /**
   * Whether `launch` understands `detached` and `resume`. A detached sandbox must end itself when no process was started in it for
   * the time of `detached`, although other processes still run there.
   *
   * @default false
   */
  readonly resumable?: boolean | undefined
  /**
   * Whether `launch` understands `preparation`.
   *
   * @default false
   */
  readonly preparable?: boolean | undefined
  /**
   * Hosts that programs may reach from a sandbox without a network; `capabilities.network` is `custom` then. A sandbox is not used
   * unless a test in it shows that they reach nothing else: `start` rejects with `NETWORK_NOT_CLOSED`, or `NETWORK_HELPER_FAILED`.
   *
   * @default what `capabilities.network` says
   */
  readonly network?: SuperviseNetwork | undefined
  /**
   * The working directory on this machine; where the processes see it, its `path` says (`mountedAt`).
   *
   * @default a temporary one, which processes see as `/workspace`
   */
  readonly workDirectory?: HostWorkDirectory | undefined
  /**
   * Whether `start` opens the working directory and `stop` closes it. `false` if the caller does both.
   *
   * @default true
   */
  readonly ownsWorkDirectory?: boolean | undefined
  /**
   * Names of programs that are looked for with the first question to a sandbox.
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

/** See {@link SuperviseOptions.network}. */
export interface SuperviseNetwork {
  /** The list. */
  readonly policy: CustomNetwork
  /**
   * Whether it has routes to other hosts, and something else lets nothing through, as in a pod with a policy. Then `launch` has to
   * see to it that nothing gets out.
   *
   * @default false
   */
  readonly hasRoutes?: boolean | undefined
  /**
   * How names are resolved.
   *
   * @default the resolver of this machine
   */
  readonly lookup?: Lookup | undefined
}

/** What a launch is given. */
export type LaunchContext = StartContext & Pick<StartSandboxOptions, 'detached' | 'resume' | 'preparation'>

/** A sandbox that a launch made or found, and how it is used. */
export interface LaunchedSandbox {
  /** Names it, and no other one. */
  readonly id: string
  readonly backend: SandboxBackend
  /**
   * The user of the processes.
   *
   * @default the backend's own
   */
  readonly user?: string | undefined
  /**
   * The user of the helper of a network list. With a user other than that of the processes, they cannot end the helper.
   *
   * @default `user`
   */
  readonly helperUser?: string | undefined
  /**
   * Whether its working directory is the one on this machine. Else that is copied in before each block and out after it.
   *
   * @default false
   */
  readonly isMounted?: boolean | undefined
  /**
   * Whether the sandbox belongs to one caller only, such as a dedicated container. Then a process that a block left is known by its hard limit for
   * core files, which is 0: also a process that left its session and cleared its environment ends with the block. At the end of a
   * block all processes of the user in the sandbox are stopped for a moment. So set it only if the sandbox has a separate process
   * namespace, and a process 1 that reaps orphans. In the process namespace of the machine it has no effect.
   * With `false` such a process keeps running, and the notice `left-behind` reports it, unless the process namespace is that of the machine.
   *
   * @default false
   */
  readonly isExclusive?: boolean | undefined
  /**
   * Whether the process of the next block may be started in advance, while the executor is idle.
   *
   * @default true
   */
  readonly startsAhead?: boolean | undefined
  /**
   * A shell's script that runs once before anything else.
   *
   * @default none
   */
  readonly initCommand?: string | undefined
  /**
   * What a look into it has shown already.
   *
   * @default it is looked at
   */
  readonly facts?: SandboxFacts | undefined
  /**
   * Limits that hold in it.
   *
   * @default not known
   */
  readonly limits?: LimitsInForce | undefined
  /**
   * Whether `stop` leaves it running. A sandbox that is replaced is removed anyway.
   *
   * @default false
   */
  readonly outlivesStop?: boolean | undefined
  /**
   * Removes a sandbox that turns out to be unusable; must not reject.
   *
   * @default as `backend.remove`
   */
  discard?(): Promise<void>
}

/** What is said when a sandbox is replaced because it was lost. */
export const replaced: Notice = {
  code: 'container-replaced',
  message:
    'The sandbox was replaced, because it had ended or lost its working directory. Packages and processes of earlier blocks are lost. Files in the working directory are kept.',
}
