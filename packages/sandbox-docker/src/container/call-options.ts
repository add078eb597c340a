import type { OptionNames } from '@fenced/core/internal'

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

export const startContainerOptionNames: OptionNames<StartContainerOptions> = {
  signal: true,
  outlivesProcess: true,
  temporaryDirectory: true,
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

export const execOptionNames: OptionNames<ExecOptions> = {
  user: true,
  cwd: true,
  env: true,
  stdin: true,
  signal: true,
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

export const removeOptionNames: OptionNames<RemoveOptions> = { limitMs: true, signal: true }
