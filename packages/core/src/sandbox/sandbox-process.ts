import type { Readable, Writable } from 'node:stream'

/** A program's two output streams. */
export type StreamName = 'stdout' | 'stderr'

/**
 * Receives a process's output in order of arrival. The chunk's memory is reused as soon as the function returns, so copy what you
 * need. While a returned promise is pending, neither stream is read. If the function throws or rejects, the process is killed and
 * {@link SandboxProcess.ended} rejects with the same error.
 */
export type OutputSink = (stream: StreamName, chunk: Uint8Array) => void | Promise<void>

/**
 * Lifetime of a process. Processes that a `block` started end with the block, and so do processes of unknown origin. A `process`
 * runs alongside blocks until it exits, is killed, or its sandbox stops. Only one block runs at a time.
 */
export type ProcessRole = 'block' | 'process'

/** Size of a terminal, in characters. */
export interface TerminalSize {
  /** Characters per row: 1 to 65,535. */
  readonly columns: number
  /** Number of rows: 1 to 65,535. */
  readonly rows: number
}

/** Options for {@link Sandbox.spawn}. */
export interface SpawnOptions {
  /**
   * Directory in which the process starts: an absolute path in the sandbox.
   *
   * @default the sandbox's `directory`
   */
  readonly cwd?: string | undefined
  /**
   * Environment variables in addition to those of every process in the sandbox. Names consist of letters (A-Z, a-z), digits and `_`, and
   * do not begin with a digit.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * The process's stdin. `none`: empty. `open`: available as {@link SandboxProcess.stdin}.
   *
   * @default 'none'
   */
  readonly stdin?: 'none' | 'open' | undefined
  /**
   * Runs the process in a new terminal of this size, as an interactive shell or an editor needs it. Its stdin is open: each byte is a key,
   * such as `\x03` for Ctrl-C, the end of stdin is Ctrl-D, and destroying stdin hangs up. All output arrives on stdout. `TERM` is
   * `xterm-256color` unless `env` sets it. Everything in the terminal ends with the process. `spawn` rejects with `NO_TERMINAL` if
   * the sandbox has neither Python nor `script`.
   *
   * @default the process has pipes
   */
  readonly terminal?: TerminalSize | undefined
  /**
   * Receives the process's output directly, without an intermediate stream.
   *
   * @default output is available from the process's `stdout` and `stderr`
   */
  readonly output?: OutputSink | undefined
  /**
   * Stops the process with SIGTERM, and with SIGKILL after `killGraceMs`. If the signal is aborted before the process starts,
   * `spawn` rejects with its reason.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Grace period between SIGTERM and SIGKILL, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
  /**
   * Lifetime of the process: see {@link ProcessRole}.
   *
   * @default 'process'
   */
  readonly role?: ProcessRole | undefined
  /**
   * Whether the process reaps orphaned processes, as an init process does. If the sandbox has its own process table, the process
   * is then process 1, and orphaned processes become its children.
   *
   * @default false
   */
  readonly reapsOrphans?: boolean | undefined
}

/** Follows a process's output. The chunk's memory is reused as soon as the function returns. A function that throws is removed. */
export type OutputWatcher = (stream: StreamName, chunk: Uint8Array) => void

/** Memory that a limit counts. */
export interface MemoryUse {
  /** Without what the kernel keeps of files only to read them faster. */
  readonly usedBytes: number
  readonly limitBytes: number
  /** Whether the kernel ends all processes within the limit together (`memory.oom.group`). */
  readonly endsTogether: boolean
}

/** A process in a sandbox, including everything that it starts. */
export interface SandboxProcess {
  /** ID in the sandbox's list of processes. Absent for a process that is not listed. */
  readonly id?: string
  /** The process's stdin, if it was opened. */
  readonly stdin: Writable | undefined
  /**
   * The process's stdout. Both streams are empty if `output` receives the data. An unread stream does not delay the other one: it
   * buffers up to 1 MiB and drops the rest, and then ends with an error that states how much was dropped.
   */
  readonly stdout: Readable
  /** The process's stderr; see {@link stdout}. */
  readonly stderr: Readable
  /** Resolves when the program itself has ended, although more output may still arrive. Resolves no later than `ended`. */
  readonly exited: Promise<void>
  /**
   * Resolves when the process and everything that should end with it have ended, and its output has been read in full or
   * abandoned. Rejects only if `output` throws, with the same error.
   */
  readonly ended: Promise<ProcessEnd>
  /**
   * Sends a signal to the process and everything it started. In bubblewrap, a signal that ends programs by default ends the process, even
   * if the program handles it. Rejects with `INVALID_OPTIONS` for a name that this platform does not have. `SIGCONT` does not reach what left its session: that may have stopped itself
   * on purpose. Has no effect once the process has ended.
   */
  signal(name: NodeJS.Signals): Promise<void>
  /**
   * Calls a function with the process's output from now on, until the returned object is disposed of. The function cannot delay the
   * process. Absent if the output cannot be followed.
   */
  watchOutput?(watcher: OutputWatcher): Disposable
  /**
   * Kills the process and everything it started.
   *
   * @returns `stuck` if the process is still there after several seconds. Only stopping its sandbox ends it then.
   */
  kill(): Promise<'ended' | 'stuck'>
  /**
   * Changes the size of the process's terminal. Its programs receive SIGWINCH. Rejects with `NO_TERMINAL` if the sandbox cannot
   * change it. Absent without {@link SpawnOptions.terminal}.
   */
  resize?(size: TerminalSize): Promise<void>
  /**
   * Whether a new process would differ from this one: the working directory was recreated, or the host process has changed a
   * setting that new processes inherit, such as its user or umask. Absent if neither can happen.
   */
  isOutdated?(): Promise<boolean>
  /**
   * Returns the number of processes in the sandbox that have been killed so far because memory ran out, or `undefined` if the
   * count was lost. Absent if the sandbox does not count them.
   */
  outOfMemoryKills?(): Promise<number | undefined>
  /**
   * Returns what the memory limit of the process counts, or `undefined` if it has none. Absent if programs in the sandbox can read it
   * themselves.
   */
  memoryUse?(): Promise<MemoryUse | undefined>
  /**
   * Absolute paths of files and directories that are private to the process, including everything below them. A new process gets
   * its own, in the same state as these had at the start.
   */
  readonly privatePaths?: readonly string[]
  /** Keeps this Node process alive while the process runs. This is the initial state. */
  ref(): void
  /** Lets this Node process exit while the process is still running. */
  unref(): void
}

/**
 * How a process ended. A program that fails on its own has `exited`; no exit code is invented.
 *
 * `not-started`: the program does not exist or cannot be executed. `lost`: the sandbox or the connection to it was lost, so it is
 * unknown how, or even whether, the process ended. `stuck`: the process did not end when it was killed.
 */
export type ProcessEnd =
  | {
      readonly kind: 'exited'
      /** Exit code as a shell reports it: 128 + n for signal number n. */
      readonly exitCode: number
      /** Signal that ended the process, if the sandbox knows it. */
      readonly signal?: NodeJS.Signals
      /** Whether the process was killed because its sandbox ran out of memory. */
      readonly outOfMemory?: true
      /**
       * Number of processes in the sandbox that were killed while this process ran because memory ran out. 1 if the sandbox knows
       * only that there was at least one. Absent if there were none, or if the sandbox does not count them.
       */
      readonly memoryKills?: number
      /** Whether the process ended after a request to do so: by `signal`, `kill` or an aborted `SpawnOptions.signal`. */
      readonly wasStopped: boolean
      /** Whether a process that it started may still be running because it could not be found. Report this in the result. */
      readonly leftBehind?: true
    }
  | {
      readonly kind: 'not-started'
      readonly reason: 'not-found' | 'not-executable'
      readonly message: string
      /** Values used in the message, keyed by name. */
      readonly data?: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'lost'
      readonly what: 'sandbox' | 'connection'
      readonly message: string
      /** Values used in the message, keyed by name. */
      readonly data?: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'stuck'
      readonly message: string
      /** Values used in the message, keyed by name. */
      readonly data?: Readonly<Record<string, string>>
    }
