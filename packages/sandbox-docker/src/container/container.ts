import type { Readable } from 'node:stream'
import type { FencedError, LimitsInForce } from '@fenced/core'
import type { ContainerProcess } from './container-process.ts'
import type { Labels } from './labels.ts'

/** How a container is started, and when it ends. */
export interface StartContainerOptions {
  readonly signal: AbortSignal
  /**
   * Whether it lives on when this process ends, to be found again by its name. Otherwise it is removed when this process
   * exits or dies by a signal that can be caught, or else by the next process of this user that looks for leftovers.
   *
   * @default false
   */
  readonly outlivesProcess?: boolean | undefined
  /**
   * A temporary directory of ours on this machine that is removed together with a leftover container.
   *
   * @default none
   */
  readonly temporaryDirectory?: string | undefined
}

/** How a command is started in a container. */
export interface ExecOptions {
  /** @default the container's own */
  readonly user?: string | undefined
  /**
   * An absolute path there.
   *
   * @default the container's own
   */
  readonly cwd?: string | undefined
  /**
   * Variables in addition to the variables of the container.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Whether its stdin is open. */
  readonly stdin: boolean
  /** Ends the wait for its start; without stdin, also the connection to it later. */
  readonly signal: AbortSignal
}

/** How long a call may take. */
export interface CallOptions {
  readonly signal: AbortSignal
}

/** Options of {@link Container.remove}. */
export interface RemoveOptions {
  /**
   * How long it may take, in milliseconds.
   *
   * @default 30_000
   */
  readonly limitMs?: number | undefined
  /** @default nothing ends it early */
  readonly signal?: AbortSignal | undefined
}

/**
 * A container of an engine that was started. Its methods reject with the signal's reason, or with FencedError:
 * `SANDBOX_GONE` when the container has ended or was removed, and `ENGINE_LOST`, `ENGINE_UNREACHABLE`, `DISK_FULL` or
 * `ENGINE_FAILED` for everything else.
 */
export interface Container {
  readonly id: string
  /** Those that its request gave it; none where that is not known. */
  readonly labels: Labels
  /** Whose it is, for messages: `the Docker engine at unix:///run/docker.sock (DOCKER_HOST)`. */
  readonly where: string
  /**
   * How long a connection into it can be left unused and still be trusted, in milliseconds: one to another machine may be
   * forgotten without a word.
   */
  readonly maxRestMs: number
  /** Starts a command. */
  exec(command: readonly string[], options: ExecOptions): Promise<ContainerProcess>
  /** Connects to the stdin and the stderr of the container's own process, which must have been made for that. */
  attach(options: CallOptions): Promise<ContainerProcess>
  /** Unpacks a tar archive below a directory. An error of the archive fails the call with it. */
  put(directory: string, archive: Readable, options: CallOptions): Promise<void>
  /**
   * A file, or a directory with all that is in it, as a tar archive.
   *
   * @returns `undefined` when nothing is there.
   */
  get(path: string, options: CallOptions): Promise<Readable | undefined>
  /** Whether there is something at a path, for the engine: also in what is mounted. `false` as well when the container has ended. */
  has(path: string, options: CallOptions): Promise<boolean>
  /** `ended` also when it is paused, and when there is no such container; `unknown` when the engine does not say. */
  state(): Promise<'running' | 'ended' | 'unknown'>
  /** The limits that the engine has set. It leaves out a limit that its machine cannot hold. */
  limits(options: CallOptions): Promise<LimitsInForce>
  /** Returns the port of the engine's machine on which a port of the container is published; `undefined` when it is not published. */
  publishedPort(port: number, options: CallOptions): Promise<number | undefined>
  /** Returns the error for a container that ended at its start. Creates it again to read its output. */
  whyItEnded(options: CallOptions): Promise<FencedError>
  /**
   * Ends and removes it with its anonymous volumes, and waits until it is gone. Succeeds when it is already
   * gone, and retries while the engine cannot remove it. After a failure it can be called again.
   */
  remove(options?: RemoveOptions): Promise<void>
  /**
   * Removes it now, or else together with what failed starts left. It does not fail.
   *
   * @param options - `signal` is the signal of the start: once it is aborted, the removal continues in the background.
   */
  discard(options?: Partial<CallOptions>): Promise<void>
}
