/** SDK of a sandbox whose processes have text input and output. Pass it to `textBackend` to create a backend. */
export interface TextSandbox {
  /**
   * Starts a POSIX shell command line with an open stdin. Rejects with `SANDBOX_GONE` if the sandbox does not exist. If it
   * rejects, nothing was started.
   */
  start(commandLine: string, options: TextStartOptions): Promise<TextProcess>
  /** Returns the state of the sandbox, or `unknown` if the sandbox cannot be queried. */
  state(): Promise<'running' | 'ended' | 'unknown'>
  /** Removes the sandbox. A sandbox that is already gone counts as removed. */
  remove(options?: { readonly signal?: AbortSignal }): Promise<void>
  /** See `SandboxBackend.where`. */
  readonly where?: string | undefined
  /** See `SandboxBackend.maxRestMs`. */
  readonly maxRestMs?: number | undefined
}

/** Options for {@link TextSandbox.start}. */
export interface TextStartOptions {
  /**
   * User name, ID, or `uid:gid`. If the SDK does not support users, the command starts as the SDK's own user, and is refused if
   * that is a different user.
   *
   * @default the sandbox's user
   */
  readonly user?: string | undefined
  /** Called with chunks of stdout, in order. Chunks can begin and end anywhere. */
  readonly onStdout: (text: string) => void
  /** Called with chunks of stderr, which explain why a command could not be started. */
  readonly onStderr: (text: string) => void
  readonly signal: AbortSignal
}

/** A process in a {@link TextSandbox}, and the connection to it. */
export interface TextProcess {
  /** Writes ASCII text of at most 50,000 characters to stdin. Resolves when the SDK accepts more. */
  write(text: string): Promise<void>
  /** Settles when the process has ended or the connection was lost. Resolves with the exit code, if known. */
  readonly ended: Promise<number | undefined>
  /** Closes the connection. By then, the process has already been told to close its command's stdin. */
  close(): void
  /** See `BackendProcess.ref`. */
  ref?(): void
  /** See `BackendProcess.unref`. */
  unref?(): void
}
