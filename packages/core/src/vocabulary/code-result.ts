import type { FencedErrorCode, ForeignCode, NoticeCode } from '@fenced/errors'
import type { CodeBlock } from '@fenced/markdown'
import type { ProgramError } from '../program-error/program-error.ts'
import type { HostToolCall } from './host-tool.ts'
import type { IsolationStatement } from './isolation.ts'
import type { NetworkConnection } from './network-connection.ts'
import type { BlockUsage } from './usage.ts'

/**
 * Status of a finished run. Only `ok` means success.
 *
 * - `ok`: every program exited with code 0.
 * - `error`: a program exited with another code, or was ended by a signal that Fenced did not send.
 * - `timeout`: the time limit expired and the program was stopped.
 * - `cancelled`: ended by the caller's `AbortSignal`, by leaving the event loop, or by `stop()`.
 * - `output-limit`: the program wrote more than `maxOutputBytes`, and the policy is to stop such programs.
 * - `out-of-memory`: the program was killed because its environment reached the memory limit.
 * - `denied`: a person or a policy refused to run the program.
 * - `invalid`: the program could not be run as written: unknown language, bad file name, cut off in the middle.
 * - `died`: the program's container, kernel or process disappeared, so its outcome is unknown.
 */
export type CodeStatus =
  | 'ok'
  | 'error'
  | 'timeout'
  | 'cancelled'
  | 'output-limit'
  | 'out-of-memory'
  | 'denied'
  | 'invalid'
  | 'died'

/** A message from Fenced, separate from the program's output. */
export interface Notice {
  /**
   * Stable code in kebab-case: `timeout`, `unknown-language`, `no-network`. A `FencedError` reported as a notice keeps its error
   * code. `docs/errors.md` lists all of Fenced's codes.
   */
  code: NoticeCode | FencedErrorCode | ForeignCode
  /**
   * What happened, where, and what to do about it, in a sentence for a person or a model. Hidden characters are shown as escapes.
   */
  message: string
  /** Values used in the message, keyed by name. */
  data?: Readonly<Record<string, string>>
}

/** Representations of one rich result (a picture, a table), keyed by MIME type, as a Jupyter kernel provides them. */
export type MimeBundle = Readonly<Record<string, unknown>>

/** A rich result: what a program showed, or the value of its last line. */
export interface RichResult {
  /** `value` for the value of the block's last line, and `display` for all else, such as `display()` and figures. */
  readonly kind: 'value' | 'display'
  /** Its representations. */
  readonly data: MimeBundle
  /** How to show it, by MIME type, such as the width of a picture. Absent if the kernel says nothing. */
  readonly metadata?: MimeBundle
  /** The number of the cell in its kernel, as in `Out[3]`. Present for a value, if the kernel counts its cells. */
  readonly executionCount?: number
}

/** A file that the code created or changed in the working directory. */
export interface OutputFile {
  /** Path relative to the working directory, with `/` as the separator on every system. */
  path: string
  /** Path on this machine. Absent for a file that exists only in the code's environment. */
  absolutePath?: string
  /** Size in bytes. */
  sizeBytes: number
  /** Whether the code created or changed the file. */
  change: 'created' | 'changed'
}

/** Number of bytes dropped per stream to keep it within `maxOutputBytes`; 0 if the stream is complete. */
export interface DroppedBytes {
  /** Bytes dropped from stdout. */
  stdout: number
  /** Bytes dropped from stderr. */
  stderr: number
  /** Bytes dropped from `output`, which combines both streams. */
  output: number
}

/** The result of one block. */
export interface BlockResult {
  /** The block as passed to `execute`. */
  block: CodeBlock
  /**
   * Status of the block. `skipped` means that the block is data (`json`, `text`), has no language, or has a language that the
   * executor does not run. A notice gives the reason.
   */
  status: CodeStatus | 'skipped'
  /** Exit code; see `exitCodes`. 0 if the block was skipped or saved. */
  exitCode: number
  /**
   * Both streams in order of arrival, followed by rich results as text. If the block failed or was skipped, also includes the
   * reason.
   */
  output: string
  /** Text from stdout, within `maxOutputBytes`. */
  stdout: string
  /** Text from stderr, within `maxOutputBytes`. */
  stderr: string
  /**
   * The error that ended the program, if it raised one in Python, JavaScript or TypeScript, or if its kernel reports one. Absent for a
   * program that only exits with another code than 0.
   */
  error?: ProgramError
  /** Rich results, such as tables and pictures, in the order in which they were shown first. */
  results: readonly RichResult[]
  /** Path of the block's own file, relative to the working directory, if the block's first line names one. */
  file?: string
  /** Files that were created or changed while this block ran. Includes changes by other programs that use the same directory. */
  files: readonly OutputFile[]
  /** Fenced's messages about the block. */
  notices: readonly Notice[]
  /** Number of bytes dropped from the block's streams. */
  droppedBytes: DroppedBytes
  /** Tool calls that the block made, in the order in which they finished. Present if tools were passed to `execute`. */
  toolCalls?: readonly HostToolCall[]
  /**
   * Connections that were made or refused while the block ran, in the order in which they finished: the first 1,000 for each
   * verdict. The notice `connections-left-out` counts the rest. Present if the sandbox's network is an allowlist and there was at
   * least one connection.
   */
  connections?: readonly NetworkConnection[]
  /** Resources that the program used. Absent if none is known. */
  usage?: BlockUsage
  /** Time from the program's start to its end, in milliseconds. */
  durationMs: number
}

declare module '@fenced/errors' {
  interface PartialResult extends CodeResult {}
}

/** Result of one call to `execute`. Plain data that survives `JSON.stringify`. */
export interface CodeResult {
  /**
   * Status of the block that ended the run. `ok` if every block was run or skipped, or if there were no blocks. `invalid` if
   * nothing was run or saved and at least one block's language is not run.
   */
  status: CodeStatus
  /** Exit code for `status`; see `exitCodes`. */
  exitCode: number
  /** Text for the model: the `output` of every block, in order. */
  output: string
  /** Block results in order. If a block fails, the blocks after it are neither run nor listed. */
  blocks: readonly BlockResult[]
  /** All files that the code created or changed, without duplicates. */
  files: readonly OutputFile[]
  /** Sum of the block durations, in milliseconds. */
  durationMs: number
  /** Time spent waiting for earlier calls and for the executor to start, in milliseconds. It does not count towards any limit. */
  queuedMs: number
  /** Isolation of the run. */
  isolation: IsolationStatement
}
