import type { CodeExecutor } from '../code-executor.ts'
import type { Approver } from './approval-answer.ts'
import { ApprovalGate } from './approval-gate.ts'
import { ApprovingExecutor } from './approving-executor.ts'
import type { Ask } from './ask.ts'
import { type Asker, askerOfArgument } from './asker.ts'
import { DecisionLedger } from './decision-ledger.ts'
import { type ExecuteQuestions, executeQuestions, withLedger } from './execute-questions.ts'
import type { ApproveNetwork } from './network-request.ts'
import type { RememberedApprovals } from './remembered-approvals.ts'

/** Options of {@link approvedExecutor}. */
export interface ApprovedExecutorOptions {
  /**
   * The name of the agent that wants to run the code, for the approver.
   *
   * @default 'assistant'
   */
  readonly agent?: string | undefined
  /**
   * The remembered answers: list and revoke them, or share them between executors.
   *
   * @default its own, for as long as it lives
   */
  readonly remembered?: RememberedApprovals | undefined
  /**
   * Decides about connections, in place of an `ask` function or queue for all kinds. An `ask` with a function for
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
   * Records each decision about code, calls of tools and installations, so that what was allowed once begins at most once. Pass `fileLedger(path)`
   * where another process may have the same question.
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
 * executor also ends the question. `start`, `restart` and `stop` are the executor's.
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
