import type { Duplex } from 'node:stream'
import type { OutputSink, SandboxProcess } from '@fenced/core/sandbox'
import type { Environment } from './program-environment.ts'

/** Options of {@link startProcess}. */
export interface HostProcessOptions {
  /** The directory in which the program starts. */
  readonly cwd: string
  /**
   * Its whole environment: nothing is added, except a mark by which its processes are found.
   *
   * @default what a program needs to run (PATH, HOME, LANG, ...) of this process's environment, without keys and passwords
   */
  readonly env?: Environment | undefined
  /**
   * How long the program may take to end after SIGTERM before it gets SIGKILL, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
  /**
   * Descriptors of this process that the program gets, from 3 up. It inherits no others.
   *
   * @default []
   */
  readonly descriptors?: readonly number[] | undefined
  /**
   * Whether the descriptor behind `descriptors` is one end of a stream whose other end is {@link StartedProcess.channel}.
   *
   * @default false
   */
  readonly channel?: boolean | undefined
  /**
   * Whether its stdin is open. Then it ends with this process by the end of its stdin, so that it can see to what it started.
   *
   * @default 'none'
   */
  readonly stdin?: 'none' | 'open' | undefined
  /**
   * Takes its output.
   *
   * @default it comes from `stdout` and `stderr`
   */
  readonly output?: OutputSink | undefined
  /**
   * Whether all that the program starts ends with it, as in bubblewrap. Then no process is looked for that may have escaped.
   *
   * @default false
   */
  readonly isolated?: boolean | undefined
  /** Ends the program and everything that it started. */
  readonly signal?: AbortSignal | undefined
  /** The signal by which the program ends itself to say that what it ran was killed because there was no memory left. */
  readonly outOfMemorySignal?: NodeJS.Signals | undefined
}

/** A process on this machine. */
export interface StartedProcess extends SandboxProcess {
  /** `undefined` when it could not be started. */
  readonly processId: number | undefined
  /** Where it was to have one, and could be started. */
  readonly channel: Duplex | undefined
  /** Every process that it starts from now on, in any group. */
  watchDescendants(): { kill(): void }
}
