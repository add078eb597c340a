import type { Readable, Writable } from 'node:stream'

/** The two streams of a program. */
export type StreamName = 'stdout' | 'stderr'

/**
 * Takes what a process writes, in the order of its arrival. The chunk's memory is used again as soon as it returns, so copy
 * what you keep. While a promise that it returned is pending, nothing more of either stream is read. When it throws or
 * rejects, the process is killed, and {@link SandboxProcess.ended} rejects with the same.
 */
export type OutputSink = (stream: StreamName, chunk: Uint8Array) => void | Promise<void>

/**
 * The lifetime of a process. All processes that a `block` started end with it, and so do processes of unknown origin. A
 * `process` lives beside blocks until it ends, is killed, or its sandbox stops. One block runs at a time.
 */
export type ProcessRole = 'block' | 'process'

/** Options of {@link Sandbox.spawn}. */
export interface SpawnOptions {
  /**
   * The directory in which it starts: an absolute path in the sandbox.
   *
   * @default the sandbox's `directory`
   */
  readonly cwd?: string | undefined
  /**
   * Variables in addition to those that every process of the sandbox has.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * `none`: its stdin is empty. `open`: {@link SandboxProcess.stdin} is it.
   *
   * @default 'none'
   */
  readonly stdin?: 'none' | 'open' | undefined
  /**
   * Takes its output, without a stream in between.
   *
   * @default it comes from `stdout` and `stderr` of the process
   */
  readonly output?: OutputSink | undefined
  /** Ends it: SIGTERM, and after `killGraceMs` SIGKILL. Aborted before it is started, `spawn` rejects with the reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * Grace period between SIGTERM and SIGKILL, in milliseconds.
   *
   * @default 1_000
   */
  readonly killGraceMs?: number | undefined
  /**
   * Its lifetime: see {@link ProcessRole}.
   *
   * @default 'process'
   */
  readonly role?: ProcessRole | undefined
  /**
   * Whether it waits for orphaned processes, as an init process does. In a separate process table it is then process 1,
   * and orphaned processes become its children.
   *
   * @default false
   */
  readonly reapsOrphans?: boolean | undefined
  /**
   * A file of which it gets a read-only copy with this content at the same path, where the sandbox can do that. See
   * {@link SandboxProcess.hasProgramCopy}.
   *
   * @default the files of the sandbox
   */
  readonly program?: { readonly path: string; readonly content: string } | undefined
}

/** A process in a sandbox, with everything that it starts. */
export interface SandboxProcess {
  /**
   * Whether it has the copy of its `program`. Other processes cannot write to the copy. Removing or replacing the name of the file
   * takes the copy away.
   *
   * @default false
   */
  readonly hasProgramCopy?: boolean | undefined
  /** Its stdin, where it was to be open. */
  readonly stdin: Writable | undefined
  /**
   * Its output. Both streams are empty if `output` takes it. An unread stream delays the other stream only
   * beyond a mebibyte of what waits in it; what comes then is dropped, and its end is an error that says how much.
   */
  readonly stdout: Readable
  /** Its error output, see {@link stdout}. */
  readonly stderr: Readable
  /** Resolves when the program itself has ended and the rest of its output may still come; at the latest with `ended`. */
  readonly exited: Promise<void>
  /**
   * Resolves when it has ended, and all that it was to end with it, and its output was taken as a whole or is given up. It
   * rejects with what `output` throws, and with nothing else.
   */
  readonly ended: Promise<ProcessEnd>
  /** Sends a signal to it and what it started. Does nothing once it has ended. */
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGCONT'): Promise<void>
  /**
   * Kills it and all that it started.
   *
   * @returns `stuck` when it is still there after some seconds: only the end of its sandbox ends it.
   */
  kill(): Promise<'ended' | 'stuck'>
  /**
   * Whether a new process would differ: the working directory was recreated, or the host process has changed a
   * setting that new processes inherit, such as its user or umask. Absent where neither can happen.
   */
  isOutdated?(): Promise<boolean>
  /**
   * Returns the number of processes in its sandbox that were killed for lack of memory until now; `undefined` when the
   * count was lost. Absent where the sandbox does not count them.
   */
  outOfMemoryKills?(): Promise<number | undefined>
  /**
   * Absolute paths of files and directories, with all below them, that are its own: a new process has others, which are as
   * these were at the start.
   */
  readonly privatePaths?: readonly string[]
  /** Keeps this Node process going while it runs, as it does at first. */
  ref(): void
  /** Lets this Node process end although it runs. */
  unref(): void
}

/**
 * The end of a process. A program's own failure is `exited`; no exit code is invented.
 *
 * `not-started`: the program is not there, or cannot be executed. `lost`: the sandbox or the connection to it went away,
 * and it is unknown how it ended, or whether it has. `stuck`: it did not end when it was killed.
 */
export type ProcessEnd =
  | {
      readonly kind: 'exited'
      /** As a shell reports it: 128 + n for signal number n. */
      readonly exitCode: number
      /** The signal that ended it, where the sandbox knows it. */
      readonly signal?: NodeJS.Signals
      /** Whether it was killed because its sandbox had no memory left. */
      readonly outOfMemory?: true
      /**
       * How many processes of its sandbox were killed while it ran because memory ran out, or 1 where the sandbox knows only that it was
       * more than none. Absent for none, and where the sandbox does not count them.
       */
      readonly memoryKills?: number
      /** Whether it ended after it was asked to: by `signal`, `kill` or an aborted `SpawnOptions.signal`. */
      readonly wasStopped: boolean
      /** Whether a process that it started may still run, because it was not found. Report it in the result. */
      readonly leftBehind?: true
    }
  | {
      readonly kind: 'not-started'
      readonly reason: 'not-found' | 'not-executable'
      readonly message: string
      /** The values in the message, by name. */
      readonly data?: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'lost'
      readonly what: 'sandbox' | 'connection'
      readonly message: string
      /** The values in the message, by name. */
      readonly data?: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'stuck'
      readonly message: string
      /** The values in the message, by name. */
      readonly data?: Readonly<Record<string, string>>
    }
