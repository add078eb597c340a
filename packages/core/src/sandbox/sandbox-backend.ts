import type { Readable, Writable } from 'node:stream'
import type { OutputSink } from './sandbox-process.ts'

/**
 * The few verbs that a remote sandbox must have: `supervise` of `@fenced/sandbox` makes a whole {@link Sandbox} of one. A backend
 * has no semantics of its own: it starts what it is given, and says what it sees.
 *
 * Every method rejects with FencedError, or with the reason of the signal.
 */
export interface SandboxBackend {
  /**
   * Starts a command. Rejects with `SANDBOX_GONE` when the sandbox is not there (any more); whatever else goes wrong when it
   * is started is an end of the process, or what it wrote.
   */
  exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<BackendProcess>
  /** Unpacks a tar archive below a directory. */
  put(directory: string, archive: Readable, options: { readonly signal: AbortSignal }): Promise<void>
  /** A file, or a directory with all that is in it, as a tar archive; `undefined` when nothing is there. */
  get(path: string, options: { readonly signal: AbortSignal }): Promise<Readable | undefined>
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
  /** Removes the sandbox. One that is gone already counts as removed. */
  remove(options?: { readonly signal?: AbortSignal }): Promise<void>
  /** What it belongs to, for messages: reads on after "the connection to". */
  readonly where: string
  /**
   * How long a connection into it can be left unused and still be trusted, in milliseconds: one to another machine may be
   * forgotten without a word.
   */
  readonly maxRestMs: number
  /**
   * Whether the end of a process cuts off what it wrote and nobody has read yet, as in a pod (kubernetes/kubernetes#124571). Its
   * processes then end when their reader has everything. Default: false.
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
  ref(): void
  unref(): void
  /** Lets go of the connection. */
  destroy(): void
}
