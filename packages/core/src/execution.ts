import type { CodeBlock } from '@fenced/markdown'
import type { ApprovalEvent } from './approval/approval-event.ts'
import type { BlockResult, CodeResult, MimeBundle, Notice, OutputFile } from './vocabulary/code-result.ts'
import type { HostToolCall } from './vocabulary/host-tool.ts'
import type { NetworkConnection } from './vocabulary/network-connection.ts'

/**
 * An event in a run. For each block, the order is: `block-start`; then `stdout`, `stderr`, `result`, `clear` and `notice` as they
 * arrive; then a `file` for each file that the block created or changed; then `block-end`. The last event is `execution-end`.
 * Each tool call adds a `tool-call` and a `tool-result` with the same `call.id`. If the network is an allowlist, each of the
 * first 1,000 connections adds a `connection` when it ends.
 *
 * `index` is the block's position in the call, counted from 0. A `notice` without an index does not belong to a block: the
 * executor is starting or installing a package, or something happened between two blocks. A `result` with the same `displayId` as
 * an earlier one in its block replaces it; `metadata` says how to show it, by MIME type, such as the width of a picture in Jupyter.
 * `executionCount` is there if it is the value of the block's last line, and counts the cells of its kernel. `isUpdate` is there if the
 * program updated the display of that `displayId`, which can be an earlier block's.
 * `clear` removes everything that its block has written and shown so far.
 *
 * Each question to `ask` adds an `approval-requested`, and then an `approval-answered` or `approval-withdrawn` with the request's
 * `id`: about code before all other events, about other kinds while a block runs. A question that an earlier answer decides has only
 * the `approval-answered`.
 */
export type ExecutionEvent =
  | ApprovalEvent
  | { type: 'block-start'; index: number; block: CodeBlock }
  | { type: 'stdout'; index: number; text: string }
  | { type: 'stderr'; index: number; text: string }
  | {
      type: 'result'
      index: number
      result: MimeBundle
      displayId?: string
      metadata?: MimeBundle
      executionCount?: number
      isUpdate?: true
    }
  | { type: 'clear'; index: number }
  | { type: 'notice'; index?: number; notice: Notice }
  | { type: 'tool-call'; index: number; call: Omit<HostToolCall, 'output' | 'error' | 'durationMs'> }
  | { type: 'tool-result'; index: number; call: HostToolCall }
  | { type: 'connection'; index: number; connection: NetworkConnection }
  | { type: 'file'; index: number; file: OutputFile }
  | { type: 'block-end'; index: number; result: BlockResult }
  | { type: 'execution-end'; result: CodeResult }

/**
 * A running `execute` call. Await it for the result, or iterate it for the events.
 *
 * - It runs whether or not the events are read. Awaiting it loses nothing, because the result contains everything.
 * - A loop receives all events from the first one, whenever it starts. While no loop is reading, up to 1 MiB of live output is
 *   buffered; a `notice` reports what was dropped.
 * - A loop that reads too slowly slows the program down, as a full pipe does.
 * - `cancel()` ends the run early, as an aborted `signal` does. Leaving the loop (`break`, `return`, `throw`) does too, and waits
 *   until the run has stopped.
 * - It can be iterated only once; a second loop throws a `FencedError` with the code `EXECUTION_ITERATED_TWICE`.
 *
 * It rejects only for misuse and infrastructure faults, always with a `FencedError` or an error thrown by the driver.
 */
export interface Execution extends Promise<CodeResult>, AsyncIterable<ExecutionEvent> {
  /** Ends the run early with the status `cancelled`. Resolves when it has stopped; never rejects. */
  cancel(reason?: unknown): Promise<void>
}
