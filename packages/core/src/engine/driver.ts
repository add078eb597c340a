import type { MimeBundle, Notice } from '../code-result.ts'
import type { exitCodes } from '../exit-codes.ts'
import type { BlockTools } from '../host-tools/block-tools.ts'
import type { Language } from '../language/languages.ts'
import type { LimitsInForce } from '../limits.ts'
import type { SandboxNetwork } from '../network/network-connection.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { StreamName } from '../sandbox/sandbox-process.ts'
import type { HostWorkDirectory } from '../work-directory/host-work-directory.ts'

/**
 * Runs prepared blocks: the part of an executor that is different for a process, a container and a kernel. {@link DriverExecutor}
 * does all the rest, and calls one of a driver's methods at a time; only a `start`, `prepare` or `run` that was given
 * up, because it did not stop, may still run beside `stop` and the next `start`.
 */
export interface Driver {
  /**
   * The directory of the programs. The engine opens it before `start` and closes it after `stop`, writes each
   * block into a file of it, and lists what the code made. Without one there are no files.
   */
  readonly workDirectory?: HostWorkDirectory
  /**
   * Whether the owner of the directory closes it, and the engine does not.
   *
   * @default false
   */
  readonly keepsWorkDirectory?: boolean
  /**
   * Whether blocks are handed over as text, as to a kernel. Then only a block whose first line names a file
   * is written into a file, and `!pip` and `%pip` stay unchanged. Default: only without a work directory.
   */
  readonly takesText?: boolean
  /** The sandbox that blocks run in, for `sandbox` of a `CodeExecutor`. */
  readonly sandbox?: Sandbox
  /**
   * The network that the engine observes while a block runs, if it is an allowlist.
   *
   * @default that of `sandbox`
   */
  readonly network?: SandboxNetwork | undefined
  /**
   * Limits of the programs, as the last start found them.
   *
   * @default those of `sandbox`
   */
  readonly limitsInForce?: LimitsInForce | undefined
  /** Installs Python packages. If absent, a notice reports a missing package, and that is all. */
  readonly packages?: PackageManager
  /** Starts what blocks run in. Must give up when `signal` is aborted; `stop` is called when it rejects. */
  start?(context: StartContext): Promise<void>
  /**
   * Does what blocks of a language need before the first of them can run, such as finding their interpreter. Called
   * before every block. Its time counts towards no limit and no duration of the block, only towards
   * `prepareTimeoutMs`. Must return or reject when `context.signal` is aborted, which happens at
   * that limit and when the call is cancelled: the block does not run then. Given up after two more seconds.
   */
  prepare?(language: Language, context: StartContext): Promise<void>
  /**
   * Runs one block to its end. Not called for a block that is cancelled already. When `io.signal` is aborted it must stop
   * the program and everything the program started, and then return. Of its outcome, only the notices are then used,
   * unless the program had ended before: see {@link BlockIo.ended}.
   *
   * The program's failure is an outcome. Rejecting means that the program is not at fault, and ends the whole call.
   */
  run(block: PreparedBlock, io: BlockIo): Promise<BlockOutcome>
  /** Ends the processes of `start`. Must also work after a failed start, and for processes that have already ended. */
  stop?(): Promise<void>
}

/** Context of work before blocks: a start, a preparation, an installation. */
export interface StartContext {
  /** Aborted when the work must end. */
  readonly signal: AbortSignal
  /** Reports progress to the caller that waits for it. */
  notice(notice: Notice): void
}

/** Installs Python packages where blocks run. */
export interface PackageManager {
  /** For a reader of the notice that a package is missing: what to do with this executor, as a sentence, and the command if one will do. */
  advise(distribution: string): Promise<PackageAdvice>
  /** Source of the packages, for questions; absent where the installer's own configuration decides. It must contain no password. */
  readonly index?: string | undefined
  /**
   * Installs packages, as pip takes them, for the code's own Python, between two runs of a block. The time that it takes
   * counts towards no limit. Must give up when the context's signal is aborted. Rejecting leaves the block with its
   * failure, and the reason beside it. Absent where it cannot be done.
   */
  install?(packages: readonly string[], context: StartContext): Promise<void>
}

/** See {@link PackageManager.advise}. */
export interface PackageAdvice {
  /** A sentence with the way to get the package. */
  readonly advice: string
  /** A command that installs the package. */
  readonly command?: string
}

/** A block that is ready to run. */
export interface PreparedBlock {
  /** Its language. */
  readonly language: Language
  /** The program's text. */
  readonly code: string
  /** Absolute path of its file, as the program sees it. Empty without a file. */
  readonly path: string
  /**
   * The content of the file. Other processes can exchange the file before an interpreter reads it, so a driver passes this to
   * the interpreter where it can: see {@link BlockOutcome}.
   */
  readonly content: string
}

/** Interface of a driver to the engine while a block runs. */
export interface BlockIo {
  /** Aborted at the time limit, when the caller cancels, or at the output limit. */
  readonly signal: AbortSignal
  /**
   * Bytes as the program wrote them. They are taken at once, so the chunk's memory may be used again. When a promise
   * comes back, wait for it before reading on: the reader of the events is behind.
   */
  write(stream: StreamName, chunk: Uint8Array): void | Promise<void>
  /**
   * The last program of the block has ended; only the rest of its output follows. From now on its exit code counts: the time
   * limit no longer runs, and a caller that cancels only cuts the output short. `signal` is aborted then as before.
   *
   * Do not call it after a compiler, or after any other step before the program. A driver that does not return within
   * `timeoutMs` and its stop grace after this call is stopped, and the call rejects with `DRIVER_FAILED`. Time in which the reader of the
   * events holds the writer back does not count.
   */
  ended(): void
  /** Whether {@link ended} was called. No further program may be started then: it would have no time limit. */
  readonly hasEnded: boolean
  /** A rich result. Pictures and documents in it are saved into the work directory and named in the output. */
  result(result: MimeBundle, options?: ResultOptions): void
  /** Forgets what the block has written and shown so far, as a program does that redraws its output. */
  clear(): void
  /** Adds a notice to the block's result. */
  notice(notice: Notice): void
  /**
   * Whether the program's file does not hold `content` of the block. A driver asks just before it starts an interpreter that reads the file, and
   * starts nothing where it does: the engine says why.
   */
  fileHasChanged(): Promise<boolean>
  /** Answers the calls of a program whose language is among `capabilities.toolLanguages`; `undefined` where there are no tools. */
  readonly tools?: BlockTools | undefined
  /** Reads a line from a person. `undefined` without `answerInput`. Only for an executor with `capabilities.inputRequests`. */
  readonly readLine?: ReadLine | undefined
}

/**
 * Asks a person for the line that a program reads. Resolves with `undefined` for the end of the input, which has a notice then. Rejects only
 * when the block is stopped.
 */
export type ReadLine = (question: {
  /** The prompt of the program. */
  readonly prompt: string
  /** Whether the answer is not to be shown, as with `getpass`. Default `false`. */
  readonly isSecret?: boolean
}) => Promise<string | undefined>

/** Options of {@link BlockIo.result}. */
export interface ResultOptions {
  /** Names a display: a later result of the same block with this name replaces it. */
  readonly displayId?: string | undefined
}

/** The end of a block, as the driver reports it: the exit code of its program, or a status. */
export type BlockOutcome = ExitOutcome | LostOutcome | InvalidOutcome

/** The program ran and ended: 0 is `ok`, every other code is `error`. */
interface ExitOutcome extends OutcomeDetails {
  /** The program's own, or 128 + n for signal number n (`exitCodeOfSignal`). */
  readonly exitCode: number
  readonly status?: undefined
}

/** The program's own end is not known, or does not count. The engine gives the exit code. Say why in a notice. */
interface LostOutcome extends OutcomeDetails {
  readonly status: 'out-of-memory' | 'died' | 'denied'
  readonly exitCode?: undefined
}

/** Nothing could be run. Say why in a notice. */
export interface InvalidOutcome extends OutcomeDetails {
  readonly status: 'invalid'
  /** 127 when what runs the language is not there, 126 for every other reason. Default 126. */
  readonly exitCode?: typeof exitCodes.notFound | typeof exitCodes.notExecutable
}

interface OutcomeDetails {
  /**
   * Whether the interpreter was given `content` of the block itself. Otherwise the engine compares the file with it after the end; after a change
   * the block is `died`, with the notice `program-changed`. Default `false`.
   */
  readonly tookContent?: boolean
  /**
   * Whether the interpreter had a read-only copy of `content` at the path of the file, which is lost if the file is removed or replaced.
   * After the end the engine then requires that the file was not touched since {@link BlockIo.fileHasChanged}: otherwise the block is
   * `died`. Default `false`.
   */
  readonly hadCopy?: boolean
  /**
   * Whether the program had ended when `io.signal` was aborted: then this outcome counts, and not the reason of
   * the abort. For drivers that notice the end too late for {@link BlockIo.ended}. Default `false`.
   */
  readonly endedByItself?: boolean
  /**
   * Why nothing of the program was run before its time limit, where the program is not at fault: then the block is `died`, with this
   * notice, and not `timeout`.
   */
  readonly notBegun?: Notice
}
