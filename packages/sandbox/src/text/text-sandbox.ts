/** The SDK of a sandbox whose processes have text for input and output. `textBackend` makes a backend of it. */
export interface TextSandbox {
  /**
   * Starts a command line of a POSIX shell with an open stdin. Rejects with `SANDBOX_GONE` when the sandbox does not exist, and
   * starts nothing when it rejects.
   */
  start(commandLine: string, options: TextStartOptions): Promise<TextProcess>
  /** Returns the state of the sandbox, or `unknown` if the sandbox cannot be queried. */
  state(): Promise<'running' | 'ended' | 'unknown'>
  /** Removes the sandbox. A sandbox that is gone already counts as removed. */
  remove(options?: { readonly signal?: AbortSignal }): Promise<void>
  /** See `SandboxBackend.where`. */
  readonly where?: string | undefined
  /** See `SandboxBackend.maxRestMs`. */
  readonly maxRestMs?: number | undefined
}

/** Options of {@link TextSandbox.start}. */
export interface TextStartOptions {
  /**
   * A name, an id, or `uid:gid`. An SDK without users starts the command as its own user, and the command is refused if that is not
   * this user.
   *
   * @default the user of the sandbox
   */
  readonly user?: string | undefined
  /** Takes pieces of stdout, in order. A piece can begin and end anywhere. */
  readonly onStdout: (text: string) => void
  /** Takes pieces of stderr: why a command could not be started. */
  readonly onStderr: (text: string) => void
  readonly signal: AbortSignal
}

/** A process of a {@link TextSandbox}, and the connection to it. */
export interface TextProcess {
  /** Writes ASCII text of at most 50,000 characters to stdin. Resolves when the SDK takes more. */
  write(text: string): Promise<void>
  /** Settles when the process has ended or the connection was cut. It gives the exit code where that is known. */
  readonly ended: Promise<number | undefined>
  /** Closes the connection. The process has been told to end its command's stdin by then. */
  close(): void
  /** See `BackendProcess.ref`. */
  ref?(): void
  /** See `BackendProcess.unref`. */
  unref?(): void
}
