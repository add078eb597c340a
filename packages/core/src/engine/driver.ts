import type { Language } from '@fenced/markdown'
import type { SandboxNetwork } from '../network/network-observer.ts'
import type { RaisedError } from '../program-error/program-error.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { StreamName } from '../sandbox/sandbox-process.ts'
import type { SessionStateId, SessionVariable } from '../session/python-session.ts'
import type { MimeBundle, Notice } from '../vocabulary/code-result.ts'
import type { exitCodes } from '../vocabulary/exit-codes.ts'
import type { LimitsInForce } from '../vocabulary/limits.ts'
import type { BlockUsage } from '../vocabulary/usage.ts'
import type { HostWorkDirectory } from '../work-directory/host-work-directory.ts'

/**
 * Runs prepared blocks. This is the part of an executor that differs between a process, a container and a kernel;
 * {@link DriverExecutor} does everything else. It calls one driver method at a time, with one exception: a `start`, `prepare` or
 * `run` that was abandoned because it did not stop may still be running during `stop` and the next `start`.
 */
export interface Driver {
  /**
   * Working directory for programs. The engine opens it before `start` and closes it after `stop`, writes each block to a file in
   * it, and lists the files that the code created or changed. Without a working directory, there are no files.
   */
  readonly workDirectory?: HostWorkDirectory
  /**
   * Whether the directory's owner closes it instead of the engine.
   *
   * @default false
   */
  readonly keepsWorkDirectory?: boolean
  /**
   * Whether programs run in a sandbox or on a server that refuses to share the directory itself, so that the engine does not.
   *
   * @default false
   */
  readonly isGuest?: boolean
  /**
   * Whether blocks are passed as text, as to a kernel. If so, only blocks whose first line names a file are written to a file,
   * and `!pip` and `%pip` are left unchanged. Default: `true` only without a working directory.
   */
  readonly takesText?: boolean
  /**
   * Ids of languages for which this driver can pass an unnamed program to the interpreter as `content`, without a file. The engine then
   * writes the file only when the driver calls {@link BlockIo.fileHasChanged}, or if the program's text uses its own file name.
   *
   * @default []
   */
  readonly languagesWithoutFile?: readonly string[]
  /** Sandbox in which blocks run, exposed as the `sandbox` of the `CodeExecutor`. */
  readonly sandbox?: Sandbox
  /**
   * Network that the engine observes while a block runs, if it is an allowlist.
   *
   * @default the network of `sandbox`
   */
  readonly network?: SandboxNetwork | undefined
  /**
   * Limits on programs, as determined at the last start.
   *
   * @default the limits of `sandbox`
   */
  readonly limitsInForce?: LimitsInForce | undefined
  /**
   * Whether the driver can run the next block after a block has `died`. If not, it is stopped and started before the next call, and
   * an executor that keeps variables refuses calls until `restart()`. A driver with live variables that recovers by itself reports their
   * loss in a notice.
   *
   * @default false
   */
  readonly recovers?: boolean
  /** Installs Python packages. If absent, a missing package is only reported in a notice. */
  readonly packages?: PackageManager
  /**
   * Starts the environment in which blocks run. The time it takes counts only towards `startTimeoutMs`. Must give up when `signal` is
   * aborted, which happens when that limit is reached or all callers have left. If it rejects, `stop` is called.
   */
  start?(context: StartContext): Promise<void>
  /**
   * Prepares a language so that its blocks can run, for example by finding an interpreter. Called before every block. The time it
   * takes does not count towards any limit or the block's duration, only towards `prepareTimeoutMs`. Must return or reject when
   * `context.signal` is aborted, which happens when that limit is reached or the call is cancelled; the block then does not run.
   * It is abandoned after ten more seconds.
   */
  prepare?(language: Language, context: StartContext): Promise<void>
  /**
   * Runs one block to its end. Not called for a block that is already cancelled. When `io.signal` is aborted, it must stop the
   * program and everything the program started, and then return. In that case, only the notices of its outcome are used, unless
   * the program had already ended: see {@link BlockIo.ended}.
   *
   * If the program fails, that is an outcome. Rejecting means that the program is not at fault, and ends the whole call.
   */
  run(block: PreparedBlock, io: BlockIo): Promise<BlockOutcome>
  /**
   * Called when a block, and then when all blocks of a call, have ended and their files are there. Must not throw.
   *
   * @default nothing is done
   */
  rested?(at: 'block' | 'call'): void
  /** The live Python of the driver, for `executor.session`. Called only between calls. */
  readonly session?: DriverSession | undefined
  /**
   * Time limit for {@link run} to return after `io.signal` is aborted, in milliseconds. A driver that needs longer is given up.
   *
   * @default 10_000
   */
  readonly stopGraceMs?: number
  /**
   * Called when the executor is about to stop or restart, also while a cancelled block still ends: work that only later blocks need is
   * given up.
   *
   * @default nothing is done
   */
  ending?(): void
  /** Stops the processes that `start` created. Must also work after a failed start and for processes that have already ended. */
  stop?(): Promise<void>
}

/** The live Python of a driver. See `PythonSession`. */
export interface DriverSession {
  /** The current state, for approvals. `undefined` before the session starts. */
  readonly state: SessionStateId | undefined
  undo(steps: number): Promise<readonly Notice[]>
  restore(name: string): Promise<readonly Notice[]>
  checkpoint(name: string): Promise<void>
  variables(): Promise<readonly SessionVariable[]>
}

/** Context for work outside blocks: a start, a preparation, an installation. */
export interface StartContext {
  /** Aborted when the work must stop. */
  readonly signal: AbortSignal
  /** Reports progress to the waiting caller. */
  notice(notice: Notice): void
}

/** Installs Python packages in the environment where blocks run. */
export interface PackageManager {
  /**
   * Returns advice on getting a missing package with this executor, for the notice that reports it: a sentence and, if one is
   * enough, a command.
   */
  advise(distribution: string): Promise<PackageAdvice>
  /**
   * Source of the packages, shown in approval questions. Absent if the installer's own configuration decides. Must not contain a
   * password.
   */
  readonly index?: string | undefined
  /**
   * Installs packages, given as pip requirements, for the code's own Python, between two runs of a block. The installation time
   * does not count towards any limit. Must give up when the context's signal is aborted. If it rejects, the block keeps its
   * failure and the reason is added. Absent if packages cannot be installed.
   */
  install?(packages: readonly string[], context: StartContext): Promise<void>
}

/** Advice about a missing package. See {@link PackageManager.advise}. */
export interface PackageAdvice {
  /** A sentence that explains how to get the package. */
  readonly advice: string
  /** A command that installs the package. */
  readonly command?: string
  /** A sentence for the person who created the executor, if the code itself cannot get the package. Models do not read it. */
  readonly operatorAdvice?: string
}

/** A block that is ready to run. */
export interface PreparedBlock {
  /** The block's language. */
  readonly language: Language
  /** The program's text. */
  readonly code: string
  /** Absolute path of the program's file, as the program sees it. Empty if there is no file. */
  readonly path: string
  /** Whether the file exists before the driver calls {@link BlockIo.fileHasChanged}. Default: `true`, unless `path` is empty. */
  readonly isWritten?: boolean
  /**
   * Content of the file. Other processes can replace the file before an interpreter reads it, so drivers should pass this content
   * to the interpreter where possible: see {@link BlockOutcome}.
   */
  readonly content: string
}

/** Host tools for a block's program. The driver transports the messages. */
export interface BlockTools {
  /** Size limit for a message, in bytes. */
  readonly maxMessageBytes: number
  /** Python functions for a module that defines `_call(tool, arguments)`, which omits arguments that are `_unset`. */
  readonly pythonFunctions: string
  /**
   * Answers a message: JSON of the form `{ id, tool, input, line }`, with bytes as `{ "$bytes": base64 }`. The message is not
   * trusted.
   *
   * @param message - The message, or `undefined` if it was too long.
   * @returns JSON of the form `{ id, output }` or `{ id, error: { kind, message } }` on one line. Never rejects.
   */
  answer(message: string | undefined): Promise<string>
}

/** A driver's interface to the engine while a block runs. */
export interface BlockIo {
  /** Aborted when the time limit or the output limit is reached, or when the caller cancels. */
  readonly signal: AbortSignal
  /**
   * Passes on bytes exactly as the program wrote them. They are consumed immediately, so the chunk's memory can be reused. If a
   * promise is returned, wait for it before reading more, because the event reader has fallen behind.
   */
  write(stream: StreamName, chunk: Uint8Array): void | Promise<void>
  /**
   * Reports that the block's last program has ended and only the rest of its output follows. From now on, its exit code counts:
   * the time limit no longer applies, and if the caller cancels, only the output is cut short. `signal` is still aborted as
   * before.
   *
   * Do not call this after a compiler or any other step that precedes the program. If the driver does not return within
   * `timeoutMs` plus its stop grace period after this call, it is stopped and the call rejects with `DRIVER_FAILED`. Time during
   * which the event reader holds back the writer does not count.
   */
  ended(): void
  /** Returns whether {@link ended} was called. If so, no further program may be started, because it would have no time limit. */
  hasEnded(): boolean
  /**
   * Reports a rich result. Its pictures and documents are saved to the working directory and named in the output. If a promise is
   * returned, wait for it before reading more, as with {@link write}.
   */
  result(result: MimeBundle, options?: ResultOptions): void | Promise<void>
  /** Discards what the block has written and shown so far, as when a program redraws its output. */
  clear(): void
  /** Adds a notice to the block's result. */
  notice(notice: Notice): void
  /**
   * Whether the program's file no longer contains the block's `content`. Writes the file first if that was left to the driver: see
   * {@link Driver.languagesWithoutFile}. A driver checks this just before it starts an
   * interpreter that reads the file. If the file has changed, the driver starts nothing, and the engine reports the reason.
   */
  fileHasChanged(): Promise<boolean>
  /** Answers tool calls from a program whose language is in `capabilities.toolLanguages`. `undefined` if there are no tools. */
  readonly tools?: BlockTools | undefined
  /**
   * Reads a line from a person. `undefined` if `ask` has no function for `input`. Only for executors with
   * `capabilities.inputRequests`.
   */
  readonly readLine?: ReadLine | undefined
}

/**
 * Asks a person for the line that a program reads. Resolves with `undefined` at the end of the input, which a notice then
 * explains. Rejects only if the block is stopped.
 */
export type ReadLine = (question: {
  /** The program's prompt. */
  readonly prompt: string
  /** Whether the answer must be hidden, as with `getpass`. Default: `false`. */
  readonly isSecret?: boolean
}) => Promise<string | undefined>

/** Options for {@link BlockIo.result}. */
export interface ResultOptions {
  /** Name of a display. A later result with the same name in the same block replaces it. */
  readonly displayId?: string | undefined
  /** Hints for showing the result, by MIME type. Only its event has them. */
  readonly metadata?: MimeBundle | undefined
  /** The kernel's count of cells, if it is the value of the block's last line. Only its event has it. */
  readonly executionCount?: number | undefined
  /** Whether the program updated the display, which can be an earlier block's. Only its event has it. */
  readonly isUpdate?: boolean | undefined
}

/** Outcome of a block as reported by the driver: the program's exit code, or a status. */
export type BlockOutcome = ExitOutcome | LostOutcome | InvalidOutcome

/** The program ran and exited. 0 is `ok`; any other code is `error`. */
interface ExitOutcome extends OutcomeDetails {
  /** The program's own exit code, or 128 + n for signal number n as POSIX shells report it. */
  readonly exitCode: number
  /**
   * The error that ended the program, if the driver has it as data.
   *
   * @default read from the end of stderr, for Python, JavaScript and TypeScript
   */
  readonly error?: RaisedError | undefined
  readonly status?: undefined
}

/** The program's own outcome is unknown or does not count. The engine chooses the exit code. Give the reason in a notice. */
interface LostOutcome extends OutcomeDetails {
  readonly status: 'out-of-memory' | 'died' | 'denied'
  readonly exitCode?: undefined
}

/** Nothing could be run. Give the reason in a notice. */
interface InvalidOutcome extends OutcomeDetails {
  readonly status: 'invalid'
  /** 127 if the language's interpreter does not exist, 126 for any other reason. Default: 126. */
  readonly exitCode?: typeof exitCodes.notFound | typeof exitCodes.notExecutable
}

interface OutcomeDetails {
  /**
   * Whether the interpreter received the block's `content` directly. If `false`, another program may have run instead, and the block's
   * status is `died`. If absent, the engine compares the file with it at the end. If
   * the file has changed, the block's status is `died`, with the notice `program-changed`.
   */
  readonly tookContent?: boolean
  /**
   * Whether the program had already ended when `io.signal` was aborted, so that this outcome counts instead of the abort's
   * reason. For drivers that notice the end too late for {@link BlockIo.ended}. Default: `false`.
   */
  readonly endedByItself?: boolean
  /**
   * The reason why the program did not begin before its time limit, or why its end is not known, if the program is not at fault. The
   * block's status is then `died`, with this notice, instead of `timeout`.
   */
  readonly loss?: Notice
  /**
   * Processor time and memory of the program. Counts for any end of the block.
   *
   * @default unknown
   */
  readonly usage?: Pick<BlockUsage, 'cpuMs' | 'peakMemoryBytes'>
}
