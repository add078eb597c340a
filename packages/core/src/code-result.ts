import type { CodeBlock } from './code-block.ts'
import type { FencedErrorCode, ForeignCode, NoticeCode } from './codes.ts'
import type { HostToolCall } from './host-tools/host-tool.ts'
import type { IsolationStatement } from './isolation.ts'
import type { NetworkConnection } from './network/network-connection.ts'

/**
 * The end of a run. Only `ok` is a success.
 *
 * - `ok`: every program ended with exit code 0.
 * - `error`: a program ended with another exit code, or by a signal that was not ours.
 * - `timeout`: its time limit passed and it was stopped.
 * - `cancelled`: the caller's `AbortSignal`, leaving the event loop, or `stop()` ended it.
 * - `output-limit`: it wrote more than `maxOutputBytes` and the policy is to stop such programs.
 * - `out-of-memory`: it was killed because its environment reached the memory limit.
 * - `denied`: a person or a policy refused to run it.
 * - `invalid`: it could not be run as written: unknown language, bad file name, cut off in the middle.
 * - `died`: its container, kernel or process went away, so how it ended is not known.
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

/** A message of Fenced beside the output of the program. */
export interface Notice {
  /**
   * Stable and in kebab-case: `timeout`, `unknown-language`, `no-network`. Where a `FencedError` is reported as a notice, it
   * is that error's code. `docs/errors.md` lists every code of Fenced.
   */
  code: NoticeCode | FencedErrorCode | ForeignCode
  /** What happened, where, and what to do about it: a sentence for a person or a model, with hidden characters as escapes. */
  message: string
  /** Parts of the message for programs, by name. */
  data?: Readonly<Record<string, string>>
}

/** The representations of one rich result (a picture, a table), by MIME type, as a Jupyter kernel gives them. */
export type MimeBundle = Readonly<Record<string, unknown>>

/** A file that the code created or changed in the working directory. */
export interface OutputFile {
  /** Relative to the working directory, with `/` between the parts on every system. */
  path: string
  /** Its path on this machine; absent for a file that exists only in the environment of the code. */
  absolutePath?: string
  /** Size in bytes. */
  sizeBytes: number
  /** Whether the code created or changed it. */
  change: 'created' | 'changed'
}

/** The number of bytes left out per stream to keep it within `maxOutputBytes`; 0 for a whole stream. */
export interface DroppedBytes {
  /** Bytes left out of stdout. */
  stdout: number
  /** Bytes left out of stderr. */
  stderr: number
  /** Of `output`, which holds both streams. */
  output: number
}

/** The result of one block. */
export interface BlockResult {
  /** The block as it was given to `execute`. */
  block: CodeBlock
  /** `skipped`: it is data (`json`, `text`), has no language, or has a language that the executor does not run. A notice has the reason. */
  status: CodeStatus | 'skipped'
  /** See {@link exitCodes}. 0 for a block that was skipped or saved. */
  exitCode: number
  /**
   * Both streams in the order of arrival, then rich results as text; for a block that failed or was skipped, also the
   * reason.
   */
  output: string
  /** Kept text of stdout. */
  stdout: string
  /** Kept text of stderr. */
  stderr: string
  /** Rich results, such as tables and pictures. */
  results: readonly MimeBundle[]
  /** Path of the block's own file relative to the working directory, where its first line names one. */
  file?: string
  /** Files that were created or changed while this block ran; by another program, too, if one works in the same directory. */
  files: readonly OutputFile[]
  /** Messages of Fenced about the block. */
  notices: readonly Notice[]
  /** Bytes left out of its streams. */
  droppedBytes: DroppedBytes
  /** The calls of tools that it made, in the order of their ends; there when `execute` was given tools. */
  toolCalls?: readonly HostToolCall[]
  /**
   * Connections that were made or refused while it ran, in the order of their ends: the first 1,000 of each verdict. The notice
   * `connections-left-out` counts all others. There where the network of its sandbox is a list, and there were some.
   */
  connections?: readonly NetworkConnection[]
  /** From the start of the program to its end, in milliseconds. */
  durationMs: number
}

/** The result of one call of `execute`. Plain data that survives `JSON.stringify`. */
export interface CodeResult {
  /**
   * The status of the block that ended the run; `ok` when every block was run or skipped, and for no blocks. `invalid`
   * where nothing was run or saved and a block has a language that is not run.
   */
  status: CodeStatus
  /** The exit code that belongs to `status`; see {@link exitCodes}. */
  exitCode: number
  /** The text for a model: the `output` of every block, in order. */
  output: string
  /** In order. When a block fails the blocks after it are not run and not listed. */
  blocks: readonly BlockResult[]
  /** Every file that the code created or changed, each once. */
  files: readonly OutputFile[]
  /** Sum of the durations of the blocks, in milliseconds. */
  durationMs: number
  /** Time spent waiting for earlier calls and for the executor to start, in milliseconds. It counts towards no limit. */
  queuedMs: number
  /** The isolation of the run. */
  isolation: IsolationStatement
}
