import type { Readable } from 'node:stream'
import type { FencedError, LimitsInForce } from '@fenced/core'
import type { ContainerProcess } from './container-process.ts'
import type { Labels } from './labels.ts'

/** Options for starting a container and for when it ends. */
export interface StartContainerOptions {
  readonly signal: AbortSignal
  /**
   * Whether the container outlives this process, so that it can be found again by its name. Otherwise, it ends with this process if
   * it is held (`Container.hold`), or else is removed by this user's next process that looks for leftovers.
   *
   * @default false
   */
  readonly outlivesProcess?: boolean | undefined
  /**
   * A temporary directory on this machine, created by Fenced, that is removed together with a leftover container.
   *
   * @default none
   */
  readonly temporaryDirectory?: string | undefined
}

/** Options for running a command in a container. */
export interface ExecOptions {
  /**
   * User that runs the command.
   *
   * @default the container's own
   */
  readonly user?: string | undefined
  /**
   * Absolute path of the working directory in the container.
   *
   * @default the container's own
   */
  readonly cwd?: string | undefined
  /**
   * Environment variables in addition to those of the container.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Whether stdin is open. */
  readonly stdin: boolean
  /** Cancels waiting for the command to start. Without stdin, it also closes the connection later. */
  readonly signal: AbortSignal
}

/** Options that limit how long a call can take. */
export interface CallOptions {
  readonly signal: AbortSignal
}

/** Options for {@link Container.remove}. */
export interface RemoveOptions {
  /**
   * Time limit for the removal, in milliseconds.
   *
   * @default 30_000
   */
  readonly limitMs?: number | undefined
  /**
   * Stops the removal early.
   *
   * @default none
   */
  readonly signal?: AbortSignal | undefined
}

/**
 * A started container on an engine. Its methods reject with the signal's reason or with FencedError: `SANDBOX_GONE` if the
 * container has ended or was removed, and `ENGINE_LOST`, `ENGINE_UNREACHABLE`, `DISK_FULL` or `ENGINE_FAILED` for everything
 * else.
 */
export interface Container {
  readonly id: string
  /** Labels from the request that created the container. Empty if unknown. */
  readonly labels: Labels
  /** Location of the container, for messages: `the Docker engine at unix:///run/docker.sock (DOCKER_HOST)`. */
  readonly where: string
  /**
   * Time for which an unused connection into the container stays reliable, in milliseconds. A connection to another machine may
   * be dropped without notice.
   */
  readonly maxRestMs: number
  /** Starts a command. */
  exec(command: readonly string[], options: ExecOptions): Promise<ContainerProcess>
  /**
   * Ties the container to this process: the container ends when this process does, however that happens, or when the connection to
   * the engine breaks. The container's main process must end when its standard input does (`StdinOnce`).
   */
  hold(options: CallOptions): Promise<void>
  /** Extracts a tar archive into a directory. If reading the archive fails, the call rejects with the same error. */
  put(directory: string, archive: Readable, options: CallOptions): Promise<void>
  /**
   * Returns a file, or a directory with all of its content, as a tar archive.
   *
   * @returns `undefined` if the path does not exist.
   */
  get(path: string, options: CallOptions): Promise<Readable | undefined>
  /**
   * Whether a path exists from the engine's point of view, including in mounted directories. Also `false` if the container has
   * ended.
   */
  has(path: string, options: CallOptions): Promise<boolean>
  /**
   * Returns the state of the container: `ended` also if it is paused or does not exist, `unknown` if the engine does not report
   * it.
   */
  state(): Promise<'running' | 'ended' | 'unknown'>
  /** Returns the limits that the engine has set. Limits that its machine cannot enforce are left out. */
  limits(options: CallOptions): Promise<LimitsInForce>
  /** Returns the error for a container that ended during startup. To read its output, the container is created again. */
  whyItEnded(options: CallOptions): Promise<FencedError>
  /**
   * Stops and removes the container and its anonymous volumes, and waits until it is gone. Succeeds if it is already gone, and
   * retries while the engine cannot remove it. If it fails, it can be called again.
   */
  remove(options?: RemoveOptions): Promise<void>
  /**
   * Removes the container now, or otherwise together with what failed starts left behind. Never fails.
   *
   * @param options - `signal` is the signal of the start. Once it is aborted, the removal continues in the background.
   */
  discard(options?: Partial<CallOptions>): Promise<void>
}
