import { FencedError } from '@fenced/errors'
import { onAbort } from '@fenced/shared'
import type { ApprovalAnswer } from './approval/approval-answer.ts'
import {
  type ApprovalTarget,
  type CodeApprovalRequest,
  readApprovalRequest,
} from './approval/approval-request.ts'
import { targetOf } from './approval/approval-target.ts'
import type { Ask } from './approval/ask.ts'
import { byKind } from './approval/asker.ts'
import { executeAbout } from './approval/asks-about-code.ts'
import { codeHash, targetHash } from './approval/code-hash.ts'
import { DecisionLedger, defaultExpireAfterMs } from './approval/decision-ledger.ts'
import { approvalDigest } from './approval/digest.ts'
import { usedDecision } from './approval/ledger-errors.ts'
import { MemoryLedgerStore } from './approval/ledger-store.ts'
import { RememberedApprovals } from './approval/remembered-approvals.ts'
import { askable, forwarded } from './asking-executor.ts'
import type { CodeExecutor } from './code-executor.ts'
import { RunningExecution } from './engine/call/running-execution.ts'
import type { Execution } from './execution.ts'
import { knownOptions, type OptionNames } from './options/known-options.ts'

/** Options for {@link runApproved}. */
export interface RunApprovedOptions {
  /** Cancels the run. Default: none. */
  readonly signal?: AbortSignal | undefined
  /** Stores an answer that has `remember`. Default: it is not stored. */
  readonly remembered?: RememberedApprovals | undefined
  /**
   * Answers the other kinds of questions that arise during the run, such as connections. The code itself is already decided by
   * the given answer.
   *
   * @default each kind's own default
   */
  readonly ask?: Ask | undefined
  /**
   * Time limit for each of these questions, in milliseconds. A question that expires is denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
  /**
   * The ledger that was used when the question was asked. The request runs only once across all processes that use this ledger. A
   * request that is not in the ledger is rejected.
   *
   * @default an in-memory ledger: the request runs only once in this process, for all callers. A request that was asked more than
   * 30 days ago is refused (`APPROVAL_USED`, state `expired`), so this process forgets a used request after 30 days.
   */
  readonly ledger?: DecisionLedger | undefined
}

const runOptionNames: OptionNames<RunApprovedOptions> = {
  signal: true,
  remembered: true,
  ask: true,
  askTimeoutMs: true,
  ledger: true,
}

/** One ledger for the process, also where a dependency brings another copy of this package. */
const key = Symbol.for('fenced.usedApprovals')
const shared = globalThis as { [key]?: DecisionLedger }

/**
 * Runs the code in a request, given its answer. This can happen later than the question, and in another process that has saved
 * the request as JSON. No further question is asked about the code. Denials and edited code produce the same results as with
 * `askingExecutor`. The saved request determines which code runs, so keep it where programs cannot write.
 *
 * Rejects with a FencedError, without running anything: `INVALID_OPTIONS` for an unknown option or an invalid request; `INVALID_APPROVAL` if the
 * answer is not valid; `CODE_CHANGED` if the programs or their file names do not match the request's hash; `APPROVAL_ELSEWHERE`
 * if the executor's name, isolation, network, working directory, limits, variables or secretsdiffer from the question's target.
 */
export function runApproved(
  executor: CodeExecutor,
  { request, answer }: { readonly request: CodeApprovalRequest; readonly answer: ApprovalAnswer },
  options: RunApprovedOptions = {},
): Execution {
  const { signal, remembered, ask, askTimeoutMs, ledger } = knownOptions(
    options,
    runOptionNames,
    'runApproved()',
  )
  const controller = new AbortController()
  return new RunningExecution(
    async (events) => {
      const kept = readApprovalRequest(request)
      checkKept(kept, executor)
      const { agent, blocks, timeoutMs, maxWaitMs, toolLimits } = kept
      using _link = onAbort(signal, () => controller.abort(signal?.reason))
      const execution = executeAbout(askable(executor), blocks, {
        ...{ signal: controller.signal, timeoutMs, maxWaitMs, toolLimits, agent, askTimeoutMs },
        ...{ remembered: remembered ?? new RememberedApprovals(), ledger: ledger ?? (await usedHere(kept)) },
        // In place of the executor's own `ask`.
        ask: { ...byKind(ask ?? {}), code: () => answer },
        about: { kept },
      })
      return await forwarded(execution, events, controller.signal)
    },
    (reason) => controller.abort(reason),
  )
}

/** The ledger of the process, which knows a request from its first use until the request is expired. */
async function usedHere({ id, kind, digest, askedAt }: CodeApprovalRequest): Promise<DecisionLedger> {
  if (Date.now() - askedAt > defaultExpireAfterMs) throw usedDecision({ id, state: 'expired' })
  shared[key] ??= new DecisionLedger({ store: new MemoryLedgerStore(Number.POSITIVE_INFINITY) })
  const ledger = shared[key]
  if ((await ledger.find(id)) === undefined) await ledger.ask({ id, kind, digest })
  return ledger
}

function checkKept(request: CodeApprovalRequest, executor: CodeExecutor): void {
  const { codeHash: hash, digest, blocks, target } = request
  if (codeHash(blocks) !== hash) throw changed()
  const here = targetOf(executor)
  if (targetHash(here) !== targetHash(target)) throw anotherTarget(target, here)
  if (approvalDigest(request) !== digest) throw changed()
}

function changed(): FencedError {
  return new FencedError({
    code: 'CODE_CHANGED',
    message:
      'The programs, time limit or target of this request differ from those in the question with the same id. Nothing was run. Ask again.',
  })
}

function anotherTarget(approved: ApprovalTarget, here: ApprovalTarget): FencedError {
  const [target, executor] = [targetText(approved), targetText(here)]
  return new FencedError({
    code: 'APPROVAL_ELSEWHERE',
    message: `The approval does not apply here: it is for ${target}, but this executor is ${executor}. Nothing was run. Ask again.`,
    data: { target, executor },
  })
}

function targetText({ executor, description, workDir, particulars }: ApprovalTarget): string {
  const limits = Object.entries(particulars).map(([name, value]) => `${name} ${value}`)
  const directory = workDir === undefined ? [] : [`in ${workDir}`]
  return `${executor} (${[description, ...directory, ...limits].join(', ')})`
}
