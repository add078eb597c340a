import type { Duplex } from 'node:stream'
import type { OptionNames } from '@fenced/core/internal'
import type { OutputSink, SandboxProcess } from '@fenced/core/sandbox'
import type { ProcessMark } from './descendant-processes.ts'
import type { Environment } from './program-environment.ts'

/** Options for {@link startProcess}. */
export interface HostProcessOptions {
  /** Directory in which the program starts. */
  readonly cwd: string
  /**
   * The program's complete environment. Nothing is added, except a mark by which its processes are found.
   *
   * @default what a program needs to run (PATH, HOME, LANG, ...) from this process's environment, without keys and passwords
   */
  readonly env?: Environment | undefined
  /**
   * Grace period between SIGTERM and SIGKILL, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
  /**
   * Descriptors of this process that are passed to the program, starting at 3. It inherits no others.
   *
   * @default []
   */
  readonly descriptors?: readonly number[] | undefined
  /**
   * Whether the descriptor after `descriptors` is one end of a stream whose other end is {@link StartedProcess.channel}.
   *
   * @default false
   */
  readonly channel?: boolean | undefined
  /**
   * Whether the program's stdin is open. If so, the program is stopped with this process by closing its stdin, so that it can
   * clean up what it started.
   *
   * @default 'none'
   */
  readonly stdin?: 'none' | 'open' | undefined
  /**
   * Receives the program's output.
   *
   * @default output is available from `stdout` and `stderr`
   */
  readonly output?: OutputSink | undefined
  /**
   * Whether everything that the program starts ends with it, as in bubblewrap. If so, escaped processes are not searched for.
   *
   * @default false
   */
  readonly isolated?: boolean | undefined
  /** Stops the program and everything it started. */
  readonly signal?: AbortSignal | undefined
  /** Signal with which the program ends itself to report that what it ran was killed because memory ran out. */
  readonly outOfMemorySignal?: NodeJS.Signals | undefined
}

export const hostProcessOptionNames: OptionNames<HostProcessOptions> = {
  cwd: true,
  env: true,
  killGraceMs: true,
  descriptors: true,
  channel: true,
  stdin: true,
  output: true,
  isolated: true,
  signal: true,
  outOfMemorySignal: true,
}

/** A process on this machine. */
export interface StartedProcess extends SandboxProcess {
  /** Process ID; `undefined` if the process could not be started. */
  readonly processId: number | undefined
  /** The process's channel, if one was requested and the process could be started. */
  readonly channel: Duplex | undefined
  /** Mark in the environment of its processes. */
  readonly mark: ProcessMark
  /** Watches all processes that it starts from now on, in any process group. */
  watchDescendants(): { kill(): void }
}
