import type { Readable, Writable } from 'node:stream'
import { FencedError } from '@fenced/core'
import type { StreamName } from '@fenced/core/driver'

/**
 * The few verbs that a place must have in which blocks run: it starts what it is given, and says what it sees. Every method
 * rejects with FencedError, or with the reason of the signal.
 */
export interface SandboxBackend {
  /** Starts a command. Rejects with `SANDBOX_GONE` when the place is not there (any more). */
  exec(command: readonly string[], options: ExecOptions): Promise<BackendProcess>
  /** Unpacks a tar archive below a directory. */
  put(directory: string, archive: Readable, options: { readonly signal: AbortSignal }): Promise<void>
  /** A file, or a directory with all that is in it, as a tar archive; `undefined` when nothing is there. */
  get(path: string, options: { readonly signal: AbortSignal }): Promise<Readable | undefined>
  /** `unknown` when the place cannot be asked. */
  state(): Promise<'running' | 'ended' | 'unknown'>
  /** Removes the place. One that is gone already counts as removed. */
  remove(options?: { readonly signal?: AbortSignal }): Promise<void>
  /**
   * How long a connection into it can be left unused and still be trusted, in milliseconds: one to another machine may be
   * forgotten without a word.
   */
  readonly maxRestMs: number
  /** What it belongs to, for messages: reads on after "the connection to". */
  readonly where: string
}

/** Options of {@link SandboxBackend.exec}. */
interface ExecOptions {
  readonly user?: string | undefined
  /** An absolute path there. */
  readonly cwd: string
  /** In addition to the environment of the place. */
  readonly env: Readonly<Record<string, string>>
  /** Whether `stdin` is open. */
  readonly stdin: boolean
  readonly signal: AbortSignal
}

/** A process that a backend started, and the connection to it. */
export interface BackendProcess {
  /** Its stdin, where it was to be open. The end of the connection is its end. */
  readonly stdin: Writable | undefined
  /**
   * Passes its output on until the connection ends, however it ends; called once. One that was cut looks like the end of the
   * output: whether that is whole is not the backend's to know.
   */
  read(sink: OutputSink): Promise<void>
  /** The exit code once it has ended, as the place tells it; `undefined` while it runs, and when the place cannot be asked. */
  poll(): Promise<number | undefined>
  ref(): void
  unref(): void
  /** Closes the connection. */
  destroy(): void
}

/** The chunk's memory is used again as soon as it returns; while a promise that it returned is pending nothing is read. */
export type OutputSink = (stream: StreamName, chunk: Uint8Array) => void | Promise<void>

/** Whether a backend rejected because the place is not there any more, so that nothing was started. */
export function isGone(error: unknown): boolean {
  return FencedError.isInstance(error) && error.code === 'SANDBOX_GONE'
}
