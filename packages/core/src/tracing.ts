import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import type { BlockResult, CodeResult } from './code-result.ts'
import type { Isolation } from './isolation.ts'

/** Data of the tracing channel `fenced:execution` for a call of `execute`, from its turn in the queue. */
export interface ExecutionTrace {
  /** The name of the kind of executor: `local`, `docker`. */
  readonly executor: string
  /** Isolation of the executor. */
  readonly isolation: Isolation
  /** The number of blocks. */
  readonly blockCount: number
  /** At its end. */
  readonly result?: CodeResult
  /** What it rejected with. */
  readonly error?: unknown
}

/** Data of the tracing channel `fenced:block` for a block, from its preparation to its result. */
export interface BlockTrace {
  /** The name of the kind of executor. */
  readonly executor: string
  /** Index of the block in the call, from 0. */
  readonly index: number
  /** The id of the language in the executor's table: `other` for a label that the table does not have, `undefined` without a label. */
  readonly language: string | undefined
  /** At its end. Where the executor was at fault its status is `died`. */
  blockResult?: BlockResult
}

/** Data of the tracing channel `fenced:start` for the start of an executor or a sandbox. */
export interface StartTrace {
  readonly kind: 'executor' | 'sandbox'
  /** `local`, `docker`. */
  readonly name: string
  /** What it rejected with. */
  readonly error?: unknown
}

/** Data of the tracing channel `fenced:process` for a process of a sandbox, from its start to its end. */
export interface ProcessTrace {
  /** The name of the kind of sandbox. */
  readonly sandbox: string
  /** Its arguments are left out: they may be secret. */
  readonly program: string
  /** At its end: see `ProcessEnd`. */
  readonly result?: { readonly kind: string; readonly exitCode?: number | undefined }
  /** The error that interrupted its output. */
  readonly error?: unknown
}

/** Traces by the names of their channels. */
interface Traces {
  readonly 'fenced:execution': ExecutionTrace
  readonly 'fenced:block': BlockTrace
  readonly 'fenced:start': StartTrace
  readonly 'fenced:process': ProcessTrace
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

/** Publishes the life of a process that has begun. */
export function traceProcess(trace: ProcessTrace, { ended }: { readonly ended: Promise<unknown> }): void {
  traced('fenced:process', trace, () => ended).catch(() => {})
}
