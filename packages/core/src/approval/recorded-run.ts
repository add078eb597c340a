import { errorMessage } from '@fenced/errors'
import type { CodeBlock } from '@fenced/markdown'
import type { CodeExecutor, ExecuteOptions } from '../code-executor.ts'
import type { CodeResult, Notice } from '../code-result.ts'
import type { Execution, ExecutionEvent } from '../execution.ts'
import type { Decided } from './decided-execution.ts'
import type { DecisionLedger } from './decision-ledger.ts'
import { awaitsStartHook, beforeFirstProgram } from './start-hook.ts'

/** A run of programs that a decision allows. */
export interface AllowedRun {
  readonly executor: CodeExecutor
  readonly blocks: readonly CodeBlock[]
  readonly options: ExecuteOptions
  readonly ledger: DecisionLedger
  /** Id of the decision. */
  readonly id: string
  /** Digest of the programs. */
  readonly digest: string
  /** Called when the run failed: `allowed` before its first program could begin, `unknown` after that. */
  readonly onFailure: (state: 'allowed' | 'unknown', error: unknown) => void
}

/**
 * Runs programs, and records their start and end. Of an executor that awaits the hook of the engine, the start is when it is ready. Of
 * others it is before `execute`, because they may begin at any time after that.
 */
export async function recordedRun(run: AllowedRun): Promise<Decided> {
  const { executor, blocks, options } = run
  const record = new RunRecord(run)
  const hasHook = awaitsStartHook(executor)
  if (!hasHook) await record.start()
  const hook = hasHook ? { [beforeFirstProgram]: () => record.start() } : {}
  const { execution } = await begun(() => executor.execute(blocks, { ...options, ...hook }), record)
  const ended = runEnd(execution, record)
  return { result: ended.then(({ result }) => result), events: () => eventsUntil(ended, execution) }
}

class RunRecord {
  readonly #run: AllowedRun
  #isStarted = false

  constructor(run: AllowedRun) {
    this.#run = run
  }

  async start(): Promise<void> {
    const { ledger, id, digest } = this.#run
    await ledger.start(id, digest)
    this.#isStarted = true
  }

  /** Resolves with a notice where the end could not be recorded. */
  async end({ status }: CodeResult): Promise<Notice | undefined> {
    if (status === 'died') this.#run.onFailure('unknown', undefined)
    return await this.#finish(status === 'died' ? 'unknown' : 'finished')
  }

  async fail(error: unknown): Promise<void> {
    this.#run.onFailure(this.#isStarted ? 'unknown' : 'allowed', error)
    await this.#finish('unknown')
  }

  async #finish(state: 'finished' | 'unknown'): Promise<Notice | undefined> {
    if (!this.#isStarted) return undefined
    const { ledger, id } = this.#run
    return await ledger.finish(id, state).then(
      () => undefined,
      (error: unknown) => notRecorded(id, errorMessage(error)),
    )
  }
}

/** An execution in an object, because a promise of an execution would await it. */
interface Begun {
  readonly execution: Execution
}

/** Calls `execute` of an executor, which can throw instead of returning an execution that rejects. */
async function begun(execute: () => Execution, record: RunRecord): Promise<Begun> {
  try {
    return { execution: execute() }
  } catch (error) {
    await record.fail(error)
    throw error
  }
}

interface End {
  readonly result: CodeResult
  readonly notice: Notice | undefined
}

async function runEnd(execution: Execution, record: RunRecord): Promise<End> {
  try {
    const result = await execution
    return { result, notice: await record.end(result) }
  } catch (error) {
    await record.fail(error)
    throw error
  }
}

async function* eventsUntil(ended: Promise<End>, execution: Execution): AsyncGenerator<ExecutionEvent> {
  for await (const event of execution) {
    const { notice } = event.type === 'execution-end' ? await ended : {}
    if (notice !== undefined) yield { type: 'notice', notice }
    yield event
  }
}

function notRecorded(id: string, reason: string): Notice {
  return {
    code: 'end-not-recorded',
    message: `The program has ended, but the ledger could not record the end of the decision ${id}: ${reason} The decision’s state is unknown.`,
    data: { id, reason },
  }
}
