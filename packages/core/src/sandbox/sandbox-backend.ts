import type { Readable, Writable } from 'node:stream'
import type { OutputSink } from './sandbox-process.ts'

/**
 * The few operations from which `supervise` of `@fenced/sandbox` makes a whole {@link Sandbox}. A backend needs `exec`, `state` and
 * `remove`; every other member has a default. It decides nothing: it starts the commands that it is given, and reports what it sees.
 *
 * Every method rejects with FencedError, or with the reason of the signal.
 */
export interface SandboxBackend {
  /**
   * Starts a command, which leads a session. Rejects with `SANDBOX_GONE` when the sandbox has ended. Every other failure
   * to start is an end of the process, or output of it.
   */
  exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<BackendProcess>
  /**
   * Unpacks a tar archive below a directory.
   *
   * @default `tar` in a process of the sandbox, which also needs `dd`
   */
  put?(directory: string, archive: Readable, options: { readonly signal: AbortSignal }): Promise<void>
  /**
   * A file, or a directory with all that is in it, as a tar archive; `undefined` when nothing is there.
   *
   * @default `tar` in a process of the sandbox
   */
  get?(path: string, options: { readonly signal: AbortSignal }): Promise<Readable | undefined>
  /**
   * Removes files below a directory, and directories with all that is in them; those that are not there are no fault. Default: a
   * process does it, which is started ahead for that.
   */
  removeFiles?(
    directory: string,
    names: readonly string[],
    options: { readonly signal: AbortSignal },
  ): Promise<void>
  /** `unknown` when the sandbox cannot be asked. */
  state(): Promise<'running' | 'ended' | 'unknown'>
  /** Removes the sandbox. A sandbox that has ended counts as removed. */
  remove(options?: { readonly signal?: AbortSignal }): Promise<void>
  /**
   * The machine or service of the sandbox, for messages: follows "the connection to".
   *
   * @default 'the sandbox'
   */
  readonly where?: string | undefined
  /**
   * Time for which an unused connection into the sandbox stays reliable, in milliseconds: a machine in between may forget
   * it without notice. A backend that sets it has `ref` and `unref` in its processes.
   *
   * @default 0: nothing is started in advance and no Python stays between blocks, so an idle sandbox keeps no connection
   */
  readonly maxRestMs?: number | undefined
  /**
   * Whether the end of a process cuts off its unread output, as in a pod (kubernetes/kubernetes#124571). Its
   * processes then end when their reader has read everything. Default: false.
   */
  readonly losesUnreadOutput?: boolean
}

/** Options of {@link SandboxBackend.exec}. */
export interface ExecOptions {
  /**
   * A name, an id, or `uid:gid`. `supervise` passes `0:0` for what needs root.
   *
   * @default the user of the sandbox
   */
  readonly user?: string | undefined
  /** An absolute path there. */
  readonly cwd: string
  /** In addition to the environment of the sandbox. */
  readonly env: Readonly<Record<string, string>>
  /** Whether `stdin` is open. */
  readonly stdin: boolean
  /** Cancels the start of the command. */
  readonly signal: AbortSignal
}

/** A process that a backend started, and the connection to it. */
export interface BackendProcess {
  /** Its stdin, where it was to be open. A connection that is gone shows as its end to the process, where the sandbox can do that. */
  readonly stdin: Writable | undefined
  /**
   * Passes its output on until the connection ends, however it ends; called once. A connection that was cut looks like the
   * output's end: whether it was whole is not the backend's to know. Rejects with what the sink throws, and with a FencedError
   * when the sandbox sends something else than output.
   */
  read(sink: OutputSink): Promise<void>
  /** The exit code once it has ended, as the sandbox reports it; `undefined` while it runs, and when the sandbox cannot be asked. */
  poll(): Promise<number | undefined>
  /**
   * Lets it keep this Node process going again.
   *
   * @default it always does
   */
  ref?(): void
  /**
   * Lets this Node process end although it runs.
   *
   * @default it keeps this Node process going until it ends
   */
  unref?(): void
  /** Closes the connection. */
  destroy(): void
}
