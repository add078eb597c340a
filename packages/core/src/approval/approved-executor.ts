import type { CodeExecutor } from '../code-executor.ts'
import { knownOptions, type OptionNames } from '../options/known-options.ts'
import type { Approver } from './approval-answer.ts'
import { ApprovalGate } from './approval-gate.ts'
import { ApprovingExecutor } from './approving-executor.ts'
import type { Ask } from './ask.ts'
import { type Asker, askerOfArgument } from './asker.ts'
import { DecisionLedger } from './decision-ledger.ts'
import { type ExecuteQuestions, executeQuestions, withLedger } from './execute-questions.ts'
import type { ApproveNetwork } from './network-request.ts'
import type { RememberedApprovals } from './remembered-approvals.ts'

/** Options for {@link approvedExecutor}. */
export interface ApprovedExecutorOptions {
  /**
   * Name of the agent that wants to run the code, shown to the approver.
   *
   * @default 'assistant'
   */
  readonly agent?: string | undefined
  /**
   * Remembered answers, which you can list, revoke and share between executors.
   *
   * @default a separate set, kept for the executor's lifetime
   */
  readonly remembered?: RememberedApprovals | undefined
  /**
   * Decides about connections instead of `ask`, which may be a function or a queue for all kinds. Cannot be combined with an
   * `ask` object that has a `network` function.
   *
   * @default `ask`
   */
  readonly approveNetwork?: ApproveNetwork | undefined
  /**
   * Time limit for each question, in milliseconds. A question that expires is denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
  /**
   * Records each decision about code, tool calls and installations, so that an approved action starts at most once. Use
   * `fileLedger(path)` if another process may hold the same question.
   *
   * @default an in-memory ledger for this executor only
   */
  readonly ledger?: DecisionLedger | undefined
}

const approvedOptionNames: OptionNames<ApprovedExecutorOptions> = {
  agent: true,
  remembered: true,
  approveNetwork: true,
  askTimeoutMs: true,
  ledger: true,
}

/**
 * Returns an executor that asks before every `execute` call and runs exactly what was approved. You can use it anywhere an
 * executor is accepted. Questions about code are asked one at a time.
 *
 * `ask` also receives the other kinds of questions that arise during a run: tool calls, connections, lines of input and
 * installations. If a call to `execute` passes its own `approveTool`, `approveNetwork`, `answerInput` or `approveInstall`, that
 * function decides instead. To be asked only about code, pass `{ code: … }` or an object with an `approve` method.
 *
 * The question is reported as an `approval-requested` event and the answer as `approval-answered`, both before all other events.
 * When the events are iterated, `ask` is not called until the reader has handled the first event, so the question has been shown
 * by the time it is asked.
 *
 * A denial is a result with the status `denied` and exit code 126, and its output is the reason. If the code was edited, the
 * edited version runs and the output says so first. In both cases there is also a `notice`. Cancelling the execution or stopping
 * the executor withdraws the question. `start`, `restart` and `stop` are passed through to the executor.
 *
 * The execution rejects with FencedError `APPROVAL_UNAVAILABLE` if the approver cannot be reached, and with `INVALID_APPROVAL` if
 * the answer is not valid. Nothing runs in either case.
 *
 * @throws FencedError `INVALID_OPTIONS` for an unknown option, and if `ask` has the wrong shape, or has functions by kind but none
 *   for `code`.
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
  options: ApprovedExecutorOptions = {},
): CodeExecutor {
  const {
    agent = 'assistant',
    remembered,
    approveNetwork,
    askTimeoutMs,
    ledger,
  } = knownOptions(options, approvedOptionNames, 'approvedExecutor()')
  const asker = askerOfArgument(ask, { approveNetwork, askTimeoutMs })
  const gate = new ApprovalGate(asker, remembered)
  return new ApprovingExecutor(executor, {
    ...{ agent, gate, ledger },
    questions: executeQuestions(asker, executor, { approveNetwork }),
  })
}

/** An executor and the questions for its `execute`, where an option `ask` may decide about code and about other kinds. */
export function askingExecutor(
  executor: CodeExecutor,
  { asker, given, agent = 'assistant', remembered, ledger = new DecisionLedger() }: AskingParts,
): { readonly executor: CodeExecutor; readonly questions: ExecuteQuestions } {
  const questions = withLedger(executeQuestions(asker, executor, given), ledger)
  if (!asker.has('code')) return { executor, questions }
  return {
    executor: new ApprovingExecutor(executor, { agent, ledger, gate: new ApprovalGate(asker, remembered) }),
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
