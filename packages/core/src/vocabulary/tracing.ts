import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import type { AgentRunTrace, AgentTurnTrace, ModelCallTrace, ToolCallTrace } from './agent-tracing.ts'
import type { BlockResult, CodeResult } from './code-result.ts'
import type { Isolation } from './isolation.ts'

/** Data on the `fenced:execution` tracing channel for one `execute` call, from its turn in the queue. */
export interface ExecutionTrace {
  /** Kind of executor: `local`, `docker`. */
  readonly executor: string
  /** The executor's isolation level. */
  readonly isolation: Isolation
  /** Number of blocks. */
  readonly blockCount: number
  /** The result. Set when the call ends. */
  readonly result?: CodeResult
  /** The error with which the call rejected. */
  readonly error?: unknown
}

/** Data on the `fenced:block` tracing channel for one block, from its preparation to its result. */
export interface BlockTrace {
  /** Kind of executor: `local`, `docker`. */
  readonly executor: string
  /** Index of the block in the call, counted from 0. */
  readonly index: number
  /** Language ID from the executor's table: `other` for a label that is not in the table, `undefined` if there is no label. */
  readonly language: string | undefined
  /** The result. Set when the block ends. If the executor was at fault, the status is `died`. */
  blockResult?: BlockResult
}

/** Data on the `fenced:start` tracing channel for the start of an executor or a sandbox. */
export interface StartTrace {
  readonly kind: 'executor' | 'sandbox'
  /** Kind of executor or sandbox: `local`, `docker`. */
  readonly name: string
  /** The error with which the call rejected. */
  readonly error?: unknown
}

/** Data on the `fenced:question` tracing channel for one question to `ask`, until its answer is checked. */
export interface QuestionTrace {
  /** Kind of the question: `code`, `tool`, `network`. */
  readonly kind: string
  /** The decision. Set when there is an answer. The answer itself may be secret. */
  decision?: 'allow' | 'deny' | 'edit' | 'answer' | undefined
  /** The error because of which there is no answer. */
  readonly error?: unknown
}

/** Data on the `fenced:process` tracing channel for one process in a sandbox, from start to end. */
export interface ProcessTrace {
  /** Kind of sandbox. */
  readonly sandbox: string
  /** The program, without its arguments, which may be secret. */
  readonly program: string
  /** How the process ended. Set when it ends; see `ProcessEnd`. */
  readonly result?: { readonly kind: string; readonly exitCode?: number | undefined }
  /** The error that interrupted the process's output. */
  readonly error?: unknown
}

/** Traces by the names of their channels. */
interface Traces {
  readonly 'fenced:execution': ExecutionTrace
  readonly 'fenced:block': BlockTrace
  readonly 'fenced:start': StartTrace
  readonly 'fenced:process': ProcessTrace
  readonly 'fenced:question': QuestionTrace
  readonly 'fenced:agent-run': AgentRunTrace
  readonly 'fenced:agent-turn': AgentTurnTrace
  readonly 'fenced:chat': ModelCallTrace
  readonly 'fenced:tool': ToolCallTrace
}

const channels = new Map<string, TracingChannel<unknown, object>>()

/** Runs an operation, and publishes its begin and end to subscribers (node:diagnostics_channel). */
export function traced<Name extends keyof Traces, Value>(
  name: Name,
  trace: Traces[Name],
  run: () => Promise<Value>,
): Promise<Value> {
  const channel = channels.get(name) ?? tracingChannel<unknown, object>(name)
  channels.set(name, channel)
  return channel.hasSubscribers ? channel.tracePromise(run, trace) : run()
}
