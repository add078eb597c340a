import type { Readable, Writable } from 'node:stream'
import type { OutputSink } from './sandbox-process.ts'

/**
 * The few operations from which `SupervisedSandbox` in `@fenced/sandbox` builds a complete {@link Sandbox}. A backend must
 * implement `exec`, `state` and `remove`; all other members have defaults. It makes no decisions: it starts the commands that it
 * receives and reports what it observes.
 *
 * Every method rejects with FencedError or with the signal's reason.
 */
export interface SandboxBackend {
  /**
   * Starts a command as a session leader. Rejects with `SANDBOX_GONE` if the sandbox has ended. Any other failure to start is
   * reported through the process's exit or output.
   */
  exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<BackendProcess>
  /**
   * Extracts a tar archive into a directory.
   *
   * @default `tar` in a process in the sandbox, which also needs `dd`
   */
  put?(directory: string, archive: Readable, options: { readonly signal: AbortSignal }): Promise<void>
  /**
   * Returns a file, or a directory with all of its content, as a tar archive; `undefined` if the path does not exist.
   *
   * @default `tar` in a process in the sandbox
   */
  get?(path: string, options: { readonly signal: AbortSignal }): Promise<Readable | undefined>
  /**
   * Removes files, and directories with all of their content, below a directory. Missing files are not an error. Default: a
   * process in the sandbox removes them; it is started in advance.
   */
  removeFiles?(
    directory: string,
    names: readonly string[],
    options: { readonly signal: AbortSignal },
  ): Promise<void>
  /** Returns the state of the sandbox, or `unknown` if the sandbox cannot be queried. */
  state(): Promise<'running' | 'paused' | 'ended' | 'unknown'>
  /**
   * Stops all processes of the sandbox where they are. Present together with `resume`.
   *
   * @default the sandbox cannot be paused
   */
  pause?(): Promise<void>
  /** Continues all processes of the sandbox. */
  resume?(): Promise<void>
  /** Removes the sandbox. A sandbox that has already ended counts as removed. */
  remove(options?: { readonly signal?: AbortSignal }): Promise<void>
  /**
   * The sandbox's machine or service, for messages, in a form that follows "the connection to".
   *
   * @default 'the sandbox'
   */
  readonly where?: string | undefined
  /**
   * Time for which an unused connection into the sandbox stays reliable, in milliseconds. An intermediate machine may drop idle
   * connections without notice. A backend that sets this must provide `ref` and `unref` on its processes.
   *
   * @default 0: nothing is started in advance and no Python is kept between blocks, so an idle sandbox holds no connection
   */
  readonly maxRestMs?: number | undefined
  /**
   * Whether unread output is lost when a process ends, as in a pod (kubernetes/kubernetes#124571). The sandbox's processes then
   * exit only after their output has been read in full. Default: `false`.
   */
  readonly losesUnreadOutput?: boolean
}

/** Options for {@link SandboxBackend.exec}. */
export interface ExecOptions {
  /**
   * User name, ID, or `uid:gid`. `SupervisedSandbox` passes `0:0` for commands that need root.
   *
   * @default the sandbox's user
   */
  readonly user?: string | undefined
  /** Absolute path of the working directory in the sandbox. */
  readonly cwd: string
  /** Environment variables in addition to those of the sandbox. */
  readonly env: Readonly<Record<string, string>>
  /** Whether `stdin` is open. */
  readonly stdin: boolean
  /** Cancels starting the command. */
  readonly signal: AbortSignal
}

/** A process that a backend started, and the connection to it. */
export interface BackendProcess {
  /**
   * The process's stdin, if it was opened. If the connection is lost, the process sees the end of its input, where the sandbox
   * supports it.
   */
  readonly stdin: Writable | undefined
  /**
   * Passes on the process's output until the connection ends for any reason. Called once. A lost connection looks like the end of
   * the output, because the backend cannot know whether the output is complete. Rejects if the sink throws, with the same error,
   * or with a FencedError if the sandbox sends anything other than output.
   */
  read(sink: OutputSink): Promise<void>
  /** Returns the exit code as the sandbox reports it; `undefined` while the process runs, or if the sandbox cannot be queried. */
  poll(): Promise<number | undefined>
  /**
   * Keeps this Node process alive again while the process runs.
   *
   * @default it is always kept alive
   */
  ref?(): void
  /**
   * Lets this Node process exit while the process is still running.
   *
   * @default this Node process is kept alive until the process ends
   */
  unref?(): void
  /** Closes the connection. */
  destroy(): void
}
