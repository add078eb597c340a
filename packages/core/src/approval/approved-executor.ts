import type { CodeBlock } from '../code-block.ts'
import type { CodeExecutor, ExecuteOptions } from '../code-executor.ts'
import type { CodeResult } from '../code-result.ts'
import { checkBlocks } from '../engine/execute-arguments.ts'
import { TurnQueue } from '../engine/turn-queue.ts'
import type { Execution, ExecutionEvent } from '../execution.ts'
import type { ApproveNetwork } from '../network/network-connection.ts'
import { definedOptions } from '../options/defined-options.ts'
import { anySignal } from '../running/any-signal.ts'
import type { StartOptions } from '../start-options.ts'
import type { Approver } from './approval-answer.ts'
import { ApprovalGate, type Verdict } from './approval-gate.ts'
import type { ApprovalFile, CodeApprovalRequest } from './approval-request.ts'
import type { Ask } from './ask.ts'
import { type Asker, askedOf } from './asker.ts'
import { CodeDecisions, digestOf, type OpenDecision } from './code-decisions.ts'
import { codeHash } from './code-hash.ts'
import { type CodeToApprove, codeRequest } from './code-request.ts'
import { type Decided, DecidedExecution, type ShowQuestion } from './decided-execution.ts'
import { denialText, editText, notRun } from './decided-results.ts'
import { DecisionLedger } from './decision-ledger.ts'
import { type ExecuteQuestions, executeQuestions } from './execute-questions.ts'
import { recordedRun } from './recorded-run.ts'
import type { RememberedApprovals } from './remembered-approvals.ts'

/** Options of {@link approvedExecutor}. */
export interface ApprovedExecutorOptions {
  /**
   * The name of the agent that wants to run the code, for the one who is asked.
   *
   * @default 'assistant'
   */
  readonly agent?: string | undefined
  /**
   * The answers that hold on: to list them and take them back, or to share them between executors.
   *
   * @default its own, for as long as it lives
   */
  readonly remembered?: RememberedApprovals | undefined
  /**
   * Decides about connections, instead of a function or a queue that is asked about every kind. An `ask` with a function for
   * `network` excludes it.
   *
   * @default `ask`
   */
  readonly approveNetwork?: ApproveNetwork | undefined
  /**
   * Time limit for each question, in milliseconds. An expired question is denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
  /**
   * Records each decision, so that what was allowed once begins at most once. Pass `fileLedger(path)` where another process may have the
   * same question.
   *
   * @default a ledger in memory, for this executor alone
   */
  readonly ledger?: DecisionLedger | undefined
}

/**
 * An executor that asks before every `execute` and runs exactly what was approved. Use it anywhere an executor is accepted.
 * Questions about code are asked one at a time.
 *
 * `ask` is also asked about the other kinds that occur in a run: calls of tools, connections, lines of input and installations.
 * A call of `execute` with its own `approveTool`, `approveNetwork`, `answerInput` or `approveInstall` decides about that kind
 * instead. To be asked about code alone, pass `{ code: … }`, or an object with a method `approve`.
 *
 * The question is the event `approval-requested`, the answer `approval-answered`; both come before all other events. Where
 * the events are iterated, `ask` is called when their reader has dealt with the first one: what was shown is then
 * asked about.
 *
 * A denial is a result with the status `denied` and the exit code 126, whose output is the reason. Code that was edited
 * runs instead, and the output names that first. Both are a `notice` as well. Cancelling the execution or stopping the
 * executor also ends the question. `start`, `restart` and `stop` are those of the executor.
 *
 * An execution rejects with a FencedError `APPROVAL_UNAVAILABLE` when the approver cannot be reached, and with
 * `INVALID_APPROVAL` for a wrong answer. Nothing is run then.
 *
 * @throws FencedError `INVALID_OPTIONS` for an `ask` of the wrong shape, and for functions by kind without one for `code`.
 * @example
 * ```ts
 * const careful = approvedExecutor(executor, {
 *   code: ({ blocks }) => (blocks.some(({ code }) => code.includes('rm')) ? 'deny' : 'allow'),
 *   network: ({ host }) => (host === 'pypi.org' ? 'allow' : 'deny'),
 * })
 * ```
 */
export function approvedExecutor(
  executor: CodeExecutor,
  ask: Ask | Approver,
  { agent = 'assistant', remembered, approveNetwork, askTimeoutMs, ledger }: ApprovedExecutorOptions = {},
): CodeExecutor {
  const asker = askedOf(ask, { approveNetwork, askTimeoutMs })
  const gate = new ApprovalGate(asker, remembered)
  return new ApprovedExecutor(executor, {
    ...{ agent, gate, ledger },
    questions: executeQuestions(asker, executor, { approveNetwork }),
  })
}

/** An executor and the questions for its `execute`, where an option `ask` may decide about code and about other kinds. */
export function askingExecutor(
  executor: CodeExecutor,
  { asker, given, agent = 'assistant', remembered, ledger }: AskingParts,
): { readonly executor: CodeExecutor; readonly questions: ExecuteQuestions } {
  const questions = executeQuestions(asker, executor, given)
  if (!asker.has('code')) return { executor, questions }
  return {
    executor: new ApprovedExecutor(executor, { agent, ledger, gate: new ApprovalGate(asker, remembered) }),
    questions,
  }
}

/** See {@link askingExecutor}. */
export interface AskingParts {
  readonly asker: Asker
  /** See {@link executeQuestions}. */
  readonly given?: ExecuteQuestions | undefined
  readonly agent?: string | undefined
  readonly remembered?: RememberedApprovals | undefined
  readonly ledger?: DecisionLedger | undefined
}

/** The call of an executor that asks, with what its question has beside the blocks. Other installed copies of this package find it, too. */
const executeAsking = Symbol.for('fenced.executeAsking')

interface AskingExecutor extends CodeExecutor {
  [executeAsking](blocks: readonly CodeBlock[], options: ExecuteOptions, extras: Extras): Execution
}

/** Whether an executor asks before it runs anything. */
export function asksForApproval(executor: CodeExecutor): executor is AskingExecutor {
  return executeAsking in executor
}

/**
 * Runs a command of a sandbox session. Where it is asked about, the question has the files that it writes, and an answer is
 * not remembered for the command alone: what it runs stands in files.
 */
export function executeInSession(
  executor: CodeExecutor,
  blocks: readonly CodeBlock[],
  { files, ...options }: ExecuteOptions & { readonly files?: readonly ApprovalFile[] | undefined },
): Execution {
  return asksForApproval(executor)
    ? executor[executeAsking](blocks, options, { files, remembersCode: false })
    : executor.execute(blocks, definedOptions(options))
}

/** The same for an agent: the question has what its model wrote around the code, and which try it is. */
export function executeForAgent(
  executor: CodeExecutor,
  blocks: readonly CodeBlock[],
  { about = {}, ...options }: ExecuteOptions & { readonly about?: AgentCode | undefined },
): Execution {
  return asksForApproval(executor)
    ? executor[executeAsking](blocks, options, about)
    : executor.execute(blocks, definedOptions(options))
}

/** Code as an agent asks about it. */
export interface AgentCode extends Partial<Pick<CodeToApprove, 'context' | 'retryAttempt'>> {
  /**
   * What was asked before the agent was saved: the same question about the same code on the same target is asked again, and has
   * its id.
   */
  readonly saved?: CodeApprovalRequest | undefined
  /**
   * The executor died before the programs began, and was started again. Where they were allowed then, they run without another
   * question.
   */
  readonly resumes?: boolean | undefined
}

/** What a question has beside the blocks. */
type Extras = AgentCode &
  Pick<CodeToApprove, 'files' | 'remembersCode'> & {
    /** The question was asked before, and this is it. */
    readonly kept?: CodeApprovalRequest
  }

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

/** See {@link approvedExecutor}. */
export class ApprovedExecutor implements AskingExecutor {
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
    const { signal, timeoutMs } = options
    // Read at once: what becomes of the blocks while somebody thinks changes nothing.
    const blocks = checkBlocks(unchecked)
    const ended = signal === undefined ? left.signal : anySignal([signal, left.signal])
    const given = { ...this.#questions, ...definedOptions(options), signal: ended }
    if (blocks.length === 0) return running(this.#executor.execute(blocks, given))
    const stopped = new AbortController()
    this.#asking.add(stopped)
    const either = AbortSignal.any([ended, stopped.signal])
    try {
      using _turn = await this.#turns.take(either)
      const about = { agent: this.#agent, executor: this.#executor, blocks, context: '', retryAttempt: 0 }
      const { kept, saved, resumes, ...more } = extras
      const asked = kept ?? codeRequest({ ...about, timeoutMs, ...more })
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
      // A kept question can be answered later. One that an approver could not answer stays open as well.
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

const cancelledText = 'Cancelled: nothing was run, because the caller asked to stop before it was approved.\n'

function answeredEvent({ id }: CodeApprovalRequest, verdict: Verdict): ExecutionEvent {
  const { decision, remembered, reason } = { reason: undefined, ...verdict }
  return { type: 'approval-answered', id, decision, remembered, ...(reason === undefined ? {} : { reason }) }
}

function running(execution: Execution): Decided {
  return { result: execution, events: () => execution }
}

function after({ result, events }: Decided, before: readonly ExecutionEvent[]): Decided {
  return {
    result,
    async *events() {
      yield* before
      yield* events()
    },
  }
}

function finished(result: CodeResult, ...before: ExecutionEvent[]): Decided {
  async function* events(): AsyncGenerator<ExecutionEvent> {
    yield* before
    yield { type: 'execution-end', result }
  }
  return { result: Promise.resolve(result), events }
}

function edited(
  { result, events }: Decided,
  { answered, text }: { readonly answered: readonly ExecutionEvent[]; readonly text: string },
): Decided {
  const withText = (given: CodeResult) => ({ ...given, output: `${text}${given.output}` })
  async function* all(): AsyncGenerator<ExecutionEvent> {
    if (answered.length > 0) yield* [...answered, notice('edited', text.trim())]
    for await (const event of events()) {
      yield event.type === 'execution-end' ? { ...event, result: withText(event.result) } : event
    }
  }
  return { result: result.then(withText), events: all }
}

function notice(code: 'denied' | 'edited', message: string): ExecutionEvent {
  return { type: 'notice', notice: { code, message } }
}
