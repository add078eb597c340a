import {
  type CodeBlock,
  type CodeExecutor,
  type CodeResult,
  checkBlocks,
  type ExecuteOptions,
  type Execution,
  type ExecutionEvent,
  type StartOptions,
} from '@fenced/core'
import { denialText } from '../code-executor-agent/result-text.ts'
import { untilAborted } from '../running/until-aborted.ts'
import { ApprovalGate } from './approval-gate.ts'
import type { ApprovalFile, Approve, Approver } from './approval-request.ts'
import { codeHash } from './code-hash.ts'
import { type Decided, DecidedExecution } from './decided-execution.ts'
import { editText } from './edit-text.ts'
import { notRun } from './not-run.ts'
import { type ApprovalSubject, requestFor } from './request-for.ts'

/** Options of {@link approvedExecutor}. */
export interface ApprovedExecutorOptions {
  /** Who wants to run the code, for the one who is asked. Default `assistant`. */
  readonly agent?: string | undefined
}

/**
 * An executor that asks before every `execute` and runs exactly what was approved. Any agent and any tool can have it in
 * place of the executor. Answers that are to hold do so as long as it lives, and one question is asked after the other.
 *
 * A denial is a result with the status `denied` and the exit code 126, whose output is the reason. Code that was edited
 * runs instead, and the output says so first. Both are also told as a `notice` before all other events. To cancel, or to
 * stop the executor, ends the question as well. `start`, `restart` and `stop` are those of the executor.
 *
 * An execution rejects with a FencedError `APPROVAL_UNAVAILABLE` when nobody could be asked, and `INVALID_APPROVAL` for an
 * answer that is none. Nothing is run then.
 */
export function approvedExecutor(
  executor: CodeExecutor,
  approve: Approve | Approver,
  { agent = 'assistant' }: ApprovedExecutorOptions = {},
): CodeExecutor {
  return new ApprovedExecutor(executor, { agent, gate: new ApprovalGate(approve) })
}

/** Whether an executor asks before it runs anything. */
export function asksForApproval(executor: CodeExecutor): boolean {
  return executor instanceof ApprovedExecutor
}

/**
 * Runs a command of a sandbox session. Where it is asked about, the question has the files that it writes, and an answer is
 * not remembered for the command alone: what it runs stands in files of the place.
 */
export function executeInSession(
  executor: CodeExecutor,
  blocks: readonly CodeBlock[],
  { files, ...options }: ExecuteOptions & { readonly files?: readonly ApprovalFile[] | undefined },
): Execution {
  return executor instanceof ApprovedExecutor
    ? executor.execute(blocks, options, { files, remembersCode: false })
    : executor.execute(blocks, options)
}

/** What a question has beside the blocks. */
type Extras = Pick<ApprovalSubject, 'files' | 'remembersCode'>

interface Question {
  readonly question: AbortSignal
  readonly run: (programs: readonly CodeBlock[]) => Execution
  readonly extras: Extras
}

class ApprovedExecutor implements CodeExecutor {
  readonly #executor: CodeExecutor
  readonly #agent: string
  readonly #gate: ApprovalGate
  readonly #asking = new Set<AbortController>()
  /** Resolves when everything that was asked before is answered. */
  #answered: Promise<unknown> = Promise.resolve()

  constructor(executor: CodeExecutor, { agent, gate }: { agent: string; gate: ApprovalGate }) {
    this.#executor = executor
    this.#agent = agent
    this.#gate = gate
  }

  get name(): string {
    return this.#executor.name
  }

  get capabilities(): CodeExecutor['capabilities'] {
    return this.#executor.capabilities
  }

  get workDir(): string | undefined {
    return this.#executor.workDir
  }

  execute(blocks: readonly CodeBlock[], options: ExecuteOptions = {}, extras: Extras = {}): Execution {
    const left = new AbortController()
    return new DecidedExecution(this.#decide(blocks, { ...options, extras, left }), () => left.abort())
  }

  start(options?: StartOptions): Promise<void> {
    return this.#executor.start(options)
  }

  restart(): Promise<void> {
    this.#endQuestions()
    return this.#executor.restart()
  }

  stop(): Promise<void> {
    this.#endQuestions()
    return this.#executor.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #decide(
    given: readonly CodeBlock[],
    {
      signal,
      extras,
      left,
      ...options
    }: ExecuteOptions & { readonly extras: Extras; readonly left: AbortController },
  ): Promise<Decided> {
    // Read at once: what becomes of the blocks while somebody thinks changes nothing.
    const blocks = checkBlocks(given)
    const ended = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal])
    const run = (programs: readonly CodeBlock[]) =>
      this.#executor.execute(programs, { ...options, signal: ended })
    if (blocks.length === 0) return running(run(blocks))
    const stopped = new AbortController()
    this.#asking.add(stopped)
    const question = AbortSignal.any([ended, stopped.signal])
    try {
      return await this.#inTurn(question, () => this.#ask(blocks, { question, run, extras }))
    } catch (error) {
      if (!question.aborted) throw error
      return finished(notRun(this.#executor, 'cancelled', cancelledText))
    } finally {
      this.#asking.delete(stopped)
    }
  }

  async #ask(blocks: readonly CodeBlock[], { question, run, extras }: Question): Promise<Decided> {
    const about = { agent: this.#agent, executor: this.#executor, blocks, context: '', retryAttempt: 0 }
    const request = requestFor({ ...about, ...extras })
    const verdict = await this.#gate.decide(request, question)
    question.throwIfAborted()
    if (verdict.decision === 'deny') {
      const text = denialText(verdict.reason)
      return finished(notRun(this.#executor, 'denied', `${text}\n`), notice('denied', text))
    }
    if (verdict.decision === 'allow' || codeHash(verdict.blocks) === request.codeHash) {
      return running(run(blocks))
    }
    return edited(run(verdict.blocks), editText(verdict))
  }

  /** Answers come in the order of the questions: one that holds on answers those behind it. */
  async #inTurn<Value>(signal: AbortSignal, ask: () => Promise<Value>): Promise<Value> {
    const before = this.#answered
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#answered = Promise.all([before, promise])
    try {
      await untilAborted(before, signal)
      signal.throwIfAborted()
      return await ask()
    } finally {
      resolve()
    }
  }

  #endQuestions(): void {
    for (const controller of this.#asking) controller.abort()
  }
}

const cancelledText = 'Cancelled: nothing was run, because the caller asked to stop before it was approved.\n'

function running(execution: Execution): Decided {
  return { result: execution, events: () => execution }
}

function finished(result: CodeResult, ...before: ExecutionEvent[]): Decided {
  async function* events(): AsyncGenerator<ExecutionEvent> {
    yield* before
    yield { type: 'execution-end', result }
  }
  return { result: Promise.resolve(result), events }
}

function edited(execution: Execution, text: string): Decided {
  const told = (result: CodeResult) => ({ ...result, output: `${text}${result.output}` })
  async function* events(): AsyncGenerator<ExecutionEvent> {
    yield notice('edited', text.trim())
    for await (const event of execution) {
      yield event.type === 'execution-end' ? { ...event, result: told(event.result) } : event
    }
  }
  return { result: execution.then(told), events }
}

function notice(code: 'denied' | 'edited', message: string): ExecutionEvent {
  return { type: 'notice', notice: { code, message } }
}
