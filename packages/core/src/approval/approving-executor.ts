import type { CodeBlock } from '@fenced/markdown'
import type { CodeExecutor, ExecuteOptions } from '../code-executor.ts'
import type { Execution, ExecutionEvent } from '../execution.ts'
import { checkBlocks } from '../options/check-blocks.ts'
import { definedOptions } from '../options/defined-options.ts'
import { anySignal } from '../running/any-signal.ts'
import { type JoinableRuns, joinRuns, joinRunsOf } from '../running/runs-of.ts'
import { TurnQueue } from '../running/turn-queue.ts'
import type { StartOptions } from '../start-options.ts'
import type { ApprovalGate, Verdict } from './approval-gate.ts'
import type { CodeApprovalRequest } from './approval-request.ts'
import { type AskingExecutor, type Extras, executeAsking } from './asking-executor.ts'
import { CodeDecisions, digestOf, type OpenDecision } from './code-decisions.ts'
import { codeHash } from './code-hash.ts'
import { codeRequest } from './code-request.ts'
import { type Decided, DecidedExecution, type ShowQuestion } from './decided-execution.ts'
import {
  after,
  answeredEvent,
  cancelledText,
  denialText,
  edited,
  editText,
  finished,
  notice,
  notRun,
  running,
} from './decided-results.ts'
import { DecisionLedger } from './decision-ledger.ts'
import { type ExecuteQuestions, withLedger } from './execute-questions.ts'
import { recordedRun } from './recorded-run.ts'

interface DecideOptions extends ExecuteOptions {
  readonly extras: Extras
  /** Aborted when the reader of the events leaves. */
  readonly left: AbortController
  readonly show: ShowQuestion
}

interface Question {
  readonly request: CodeApprovalRequest
  readonly blocks: readonly CodeBlock[]
  readonly isNew: boolean
  readonly signal: AbortSignal
  readonly options: ExecuteOptions
  readonly show: ShowQuestion
}

interface ApprovedExecutorParts {
  readonly agent: string
  readonly gate: ApprovalGate
  /** The questions of the runs. A call of `execute` can replace each. Default: none. */
  readonly questions?: ExecuteQuestions | undefined
  readonly ledger?: DecisionLedger | undefined
}

/** See `approvedExecutor`. */
export class ApprovingExecutor implements AskingExecutor, JoinableRuns {
  readonly #executor: CodeExecutor
  readonly #agent: string
  readonly #gate: ApprovalGate
  readonly #questions: ExecuteQuestions
  readonly #decisions: CodeDecisions
  readonly #asking = new Set<AbortController>()
  /** Answers come in the order of the questions: a remembered answer decides those that wait. */
  readonly #turns = new TurnQueue()

  constructor(
    executor: CodeExecutor,
    { agent, gate, questions = {}, ledger = new DecisionLedger() }: ApprovedExecutorParts,
  ) {
    this.#executor = executor
    this.#agent = agent
    this.#gate = gate
    this.#questions = questions
    this.#decisions = new CodeDecisions(ledger)
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

  execute(blocks: readonly CodeBlock[], options: ExecuteOptions = {}): Execution {
    return this[executeAsking](blocks, options, {})
  }

  [executeAsking](blocks: readonly CodeBlock[], options: ExecuteOptions, extras: Extras): Execution {
    const left = new AbortController()
    return new DecidedExecution(
      (show) => this.decide(blocks, { ...options, extras, left, show }),
      () => left.abort(),
    )
  }

  [joinRuns](run: AbortController): Disposable {
    const inner = joinRunsOf(this.#executor, run)
    this.#asking.add(run)
    return {
      [Symbol.dispose]: () => {
        this.#asking.delete(run)
        inner?.[Symbol.dispose]()
      },
    }
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

  async decide(
    unchecked: readonly CodeBlock[],
    { extras, left, show, ...options }: DecideOptions,
  ): Promise<Decided> {
    const { signal } = options
    // Read at once: the caller may change the blocks while the question is open.
    const blocks = checkBlocks(unchecked)
    const ended = signal === undefined ? left.signal : anySignal([signal, left.signal])
    const asking = { ...this.#questions, ...definedOptions(options), signal: ended }
    const given = withLedger(asking, this.#decisions.ledger)
    if (blocks.length === 0) return running(this.#executor.execute(blocks, given))
    const stopped = new AbortController()
    this.#asking.add(stopped)
    const either = AbortSignal.any([ended, stopped.signal])
    try {
      using _turn = await this.#turns.take(either)
      const about = { agent: this.#agent, executor: this.#executor, blocks, context: '', retryAttempt: 0 }
      const { kept, saved, resumes, ...more } = extras
      const asked = kept ?? codeRequest({ ...about, options, ...more })
      const allowed = resumes === true ? this.#decisions.takeAllowed(asked) : undefined
      if (allowed !== undefined) return await this.#run({ ...allowed, blocks }, given)
      const request = kept ?? (await this.#decisions.toAsk(asked, saved))
      const question = { request, blocks, isNew: kept === undefined, signal: either, show }
      return await this.#ask({ ...question, options: given })
    } catch (error) {
      if (!either.aborted) throw error
      return finished(notRun(this.#executor, 'cancelled', cancelledText))
    } finally {
      this.#asking.delete(stopped)
    }
  }

  async #ask(question: Question): Promise<Decided> {
    const { request, blocks, isNew, signal, options } = question
    if (isNew) await this.#decisions.ask(request)
    const verdict = await this.#verdict(question).catch(async (error: unknown) => {
      // A kept question can be answered later. A question that the approver failed to answer also stays open.
      if (isNew && signal.aborted) await this.#decisions.withdraw(request)
      throw error
    })
    await this.#decisions.decide(request, verdict)
    const answered = answeredEvent(request, verdict)
    if (verdict.decision === 'deny') {
      const text = denialText(verdict.reason)
      return finished(notRun(this.#executor, 'denied', `${text}\n`), answered, notice('denied', text))
    }
    return await this.#run({ request, verdict, blocks }, options, answered)
  }

  async #verdict({ request, isNew, signal, show }: Question): Promise<Verdict> {
    if (isNew && !this.#gate.knows(request)) {
      await show({ type: 'approval-requested', request: structuredClone(request) }, signal)
      signal.throwIfAborted()
    }
    const verdict = await this.#gate.decide(request, signal)
    signal.throwIfAborted()
    return verdict
  }

  async #run(
    { request, verdict, blocks }: Pick<OpenDecision, 'request' | 'verdict'> & Pick<Question, 'blocks'>,
    options: ExecuteOptions,
    ...answered: ExecutionEvent[]
  ): Promise<Decided> {
    const isEdited = verdict.decision === 'edit' && !isUnchanged(verdict.blocks, blocks)
    const programs = isEdited ? verdict.blocks : blocks
    this.#decisions.begins()
    const run = await recordedRun({
      ...{ executor: this.#executor, blocks: programs, options, ledger: this.#decisions.ledger },
      ...{ id: request.id, digest: digestOf(request, programs) },
      onFailure: (state, error) => this.#decisions.failed({ request, verdict, state }, error),
    })
    return isEdited ? edited(run, { answered, text: editText(verdict) }) : after(run, answered)
  }

  #endQuestions(): void {
    for (const controller of this.#asking) controller.abort()
  }
}

function isUnchanged(edited: readonly CodeBlock[], blocks: readonly CodeBlock[]): boolean {
  return codeHash(edited) === codeHash(blocks)
}
