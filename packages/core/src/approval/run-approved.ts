import type { CodeExecutor } from '../code-executor.ts'
import type { Execution } from '../execution.ts'
import { FencedError } from '../fenced-error.ts'
import type { ApprovalAnswer } from './approval-answer.ts'
import { ApprovalGate } from './approval-gate.ts'
import { type ApprovalTarget, type CodeApprovalRequest, readApprovalRequest } from './approval-request.ts'
import { targetOf } from './approval-target.ts'
import { ApprovedExecutor } from './approved-executor.ts'
import type { Ask } from './ask.ts'
import { askerOf } from './asker.ts'
import { codeHash, targetHash } from './code-hash.ts'
import { DecidedExecution } from './decided-execution.ts'
import { executeQuestions } from './execute-questions.ts'
import type { RememberedApprovals } from './remembered-approvals.ts'

/** Options of {@link runApproved}. */
export interface RunApprovedOptions {
  /** Ends the run. Default: nothing does. */
  readonly signal?: AbortSignal | undefined
  /** Where an answer with `remember` is kept. Default: nowhere. */
  readonly remembered?: RememberedApprovals | undefined
  /**
   * Decides about the other kinds that occur in the run, such as connections. About the code, the answer decides.
   *
   * @default the default of each kind
   */
  readonly ask?: Ask | undefined
  /**
   * Time limit for each of these questions, in milliseconds. An expired question is denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
}

/**
 * Runs what a request asks about, with its answer: later than the question, and also in another process, which has the
 * request from its JSON. Nobody is asked again. Where the answer is a denial, the result is that of
 * `approvedExecutor`, as for edited code. The kept request decides what runs: keep it where programs cannot
 * write.
 *
 * It rejects with a FencedError, and then nothing is run: `INVALID_OPTIONS` for what is no request; `INVALID_APPROVAL` for
 * what is no answer; `CODE_CHANGED` when the programs or their file names are not those of the request's hash; `APPROVAL_ELSEWHERE` when the
 * executor has another name, isolation, network, working directory, other limits, variables or secrets than the one that was
 * asked about, or when the question belongs to a sandbox session, whose files are not in it.
 */
export function runApproved(
  executor: CodeExecutor,
  { request, answer }: { readonly request: CodeApprovalRequest; readonly answer: ApprovalAnswer },
  { signal, remembered, ask, askTimeoutMs }: RunApprovedOptions = {},
): Execution {
  const left = new AbortController()
  return new DecidedExecution(
    async (show) => {
      const kept = readApprovalRequest(request)
      checkKept(kept, executor)
      const { agent, blocks, timeoutMs } = kept
      const gate = new ApprovalGate(askerOf({ approve: () => answer }), remembered)
      const questions = executeQuestions(askerOf({ ask, askTimeoutMs }), executor)
      const approved = new ApprovedExecutor(executor, { agent, gate, questions })
      return await approved.decide(blocks, { signal, timeoutMs, show, left, extras: { kept } })
    },
    () => left.abort(),
  )
}

function checkKept(
  { codeHash: hash, blocks, target, remembersCode }: CodeApprovalRequest,
  executor: CodeExecutor,
): void {
  if (codeHash(blocks) !== hash) {
    throw new FencedError({
      code: 'CODE_CHANGED',
      message:
        'The programs of this request are not those that were asked about. They were not run: ask again.',
    })
  }
  const here = targetOf(executor)
  if (remembersCode === undefined && targetHash(here) === targetHash(target)) return
  throw remembersCode === undefined ? anotherTarget(target, here) : ofSession()
}

function anotherTarget(approved: ApprovalTarget, here: ApprovalTarget): FencedError {
  const [target, executor] = [targetText(approved), targetText(here)]
  return new FencedError({
    code: 'APPROVAL_ELSEWHERE',
    message: `The approval does not hold here: it is for ${target}, and this executor is ${executor}. Nothing was run: ask again.`,
    data: { target, executor },
  })
}

function ofSession(): FencedError {
  return new FencedError({
    code: 'APPROVAL_ELSEWHERE',
    message:
      'The approval does not hold here: it belongs to a sandbox session, whose files are not in it. Nothing was run: ask again.',
  })
}

function targetText({ executor, description, workDir, particulars }: ApprovalTarget): string {
  const limits = Object.entries(particulars).map(([name, value]) => `${name} ${value}`)
  const directory = workDir === undefined ? [] : [`in ${workDir}`]
  return `${executor} (${[description, ...directory, ...limits].join(', ')})`
}
