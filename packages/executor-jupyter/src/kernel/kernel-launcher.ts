import type { StartContext } from '@fenced/core/driver'
import type { Environment } from '@fenced/host'
import type { SocketName } from '../channels/zeromq-channels.ts'
import type { KernelDeath } from './kernel.ts'

/** Starts kernels as processes of this machine. */
export interface KernelLauncher {
  /** Makes ready what they run in. */
  prepare?(context: StartContext): Promise<void>
  /**
   * The Python whose kernels are used: an absolute path.
   *
   * @throws FencedError `PYTHON_NOT_FOUND`.
   */
  findPython(): Promise<string>
  start(launch: KernelLaunch): Promise<KernelProcess>
  /** Ends what `prepare` made ready. */
  stop?(): Promise<void>
}

export interface KernelLaunch {
  /** What `findPython` found. */
  readonly python: string
  readonly command: readonly [string, ...string[]]
  /** Whether that is `own_kernel.py`, with its arguments. */
  readonly isOwn: boolean
  readonly directory: string
  /** Of the kernel in particular. */
  readonly env: Environment
  /** Where it makes its sockets: a directory that only this user can look into. */
  readonly folder: string
  /** Their paths. */
  readonly sockets: Readonly<Record<SocketName, string>>
  /** Ends the start. */
  readonly signal: AbortSignal
}

/** The process of a kernel. */
export interface KernelProcess {
  /** Resolves when it has ended. */
  readonly exited: Promise<unknown>
  /** Resolves when it has ended and its last output was read. */
  readonly ended: Promise<KernelEnd>
  /** Where it listens; `undefined` when it ended before. */
  sockets(signal: AbortSignal): Promise<KernelSockets | undefined>
  /** Whether it keeps this process going, as it does at first. */
  setRef(keeps: boolean): void
  /** Interrupts it by a signal. Absent where a signal would not reach the kernel alone. */
  interrupt?(): void
  /** See `Kernel`. */
  noteMemoryKills?(): void
  /** What it starts from now on. */
  watchDescendants(): { kill(): void }
  kill(): Promise<void>
}

export interface KernelEnd extends KernelDeath {
  /** The end of what it wrote to stderr. */
  readonly outputTail: string
}

export interface KernelSockets {
  /** Paths at which they can be connected to. */
  readonly paths: Readonly<Record<SocketName, string>>
  /** To be called when nothing connects to them any more. */
  release?(): void
}
