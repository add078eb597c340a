import type { CodeApprovalRequest } from './approval/approval-request.ts'
import type { CodeBlock } from './code-block.ts'
import type { BlockResult, CodeResult, MimeBundle, Notice, OutputFile } from './code-result.ts'
import type { HostToolCall } from './host-tools/host-tool.ts'
import type { NetworkConnection } from './network/network-connection.ts'

/**
 * An event of a run. The order: for every block `block-start`, then `stdout`, `stderr`, `result`, `clear` and `notice`
 * in order of arrival, with a `tool-call` and a `tool-result` with the same `call.id` for each call of a tool, and a
 * `connection` at the end of each of the first 1,000 connections where the network is a list; then a `file` for every file
 * it made, then `block-end`; at the end `execution-end`.
 * `index` is the position of the block in the call, counted from 0. A `notice` without an index belongs to no block: the
 * executor is starting or installs a package, or something happened between two blocks. A `result` with the `displayId`
 * of an earlier one of its block replaces it; `clear` removes all that its block has written and shown so far.
 *
 * An executor that asks before it runs anything has two events before all others: `approval-requested`, unless an earlier
 * answer holds, and `approval-answered` with the request's `id`.
 */
export type ExecutionEvent =
  | { type: 'approval-requested'; request: CodeApprovalRequest }
  | {
      type: 'approval-answered'
      /** Of the request. */
      id: string
      /** The decision. */
      decision: 'allow' | 'deny' | 'edit'
      /** Whether a remembered answer decided, without a question. */
      remembered: boolean
      /** The reason of the decision. */
      reason?: string
    }
  | { type: 'block-start'; index: number; block: CodeBlock }
  | { type: 'stdout'; index: number; text: string }
  | { type: 'stderr'; index: number; text: string }
  | { type: 'result'; index: number; result: MimeBundle; displayId?: string }
  | { type: 'clear'; index: number }
  | { type: 'notice'; index?: number; notice: Notice }
  | { type: 'tool-call'; index: number; call: Omit<HostToolCall, 'output' | 'error' | 'durationMs'> }
  | { type: 'tool-result'; index: number; call: HostToolCall }
  | { type: 'connection'; index: number; connection: NetworkConnection }
  | { type: 'file'; index: number; file: OutputFile }
  | { type: 'block-end'; index: number; result: BlockResult }
  | { type: 'execution-end'; result: CodeResult }

/**
 * A running call of `execute`: await it for the result, iterate it for the events.
 *
 * - It runs whether or not the events are read. Awaiting loses nothing: the result holds everything.
 * - A loop gets all events from the first one on, whenever it starts. While no loop reads, at most 1 MiB of live output is
 *   kept for it; a `notice` reports what was dropped.
 * - A loop that reads too slowly slows the program down, as a full pipe does.
 * - Leaving the loop early (`break`, `return`, `throw`) cancels the run and waits until it has stopped.
 * - It can be iterated once; a second loop throws a `FencedError` with the code `EXECUTION_ITERATED_TWICE`.
 *
 * It rejects only for misuse and for faults of the infrastructure, always with a `FencedError` or what the driver threw.
 */
export interface Execution extends Promise<CodeResult>, AsyncIterable<ExecutionEvent> {}
