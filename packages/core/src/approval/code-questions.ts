import { FencedError } from '@fenced/errors'
import type { CodeBlock } from '@fenced/markdown'
import { definedOptions, TurnQueue } from '@fenced/shared'
import type { ExecuteOptions } from '../code-executor.ts'
import { answeredEvent, type ShowApproval } from './approval-event.ts'
import type { CodeApprovalRequest } from './approval-request.ts'
import type { PlaceOfCode } from './approval-target.ts'
import type { AskOptions } from './ask-options.ts'
import { askedAfter, askedAgain } from './asked-again.ts'
import { type Asker, askerOf, byKind } from './asker.ts'
import { codeHash } from './code-hash.ts'
import { type CodeToApprove, codeRequest } from './code-request.ts'
import { decisionOf, type Verdict, verdictOf } from './code-verdict.ts'
import { DecisionLedger } from './decision-ledger.ts'
import { approvalDigest } from './digest.ts'
import { RememberedApprovals } from './remembered-approvals.ts'
import { RunRecord } from './run-record.ts'

/** Who decides in a call, and where decisions are kept. */
export interface Asking {
  readonly asker: Asker
  readonly ledger: DecisionLedger
  readonly remembered: RememberedApprovals
  readonly agent: string
}

/** Parts of a question beside the blocks, from an agent. */
export interface AboutCode extends Partial<Pick<CodeToApprove, 'context' | 'retryAttempt'>> {
  /** The question was asked before, and this is it. */
  readonly kept?: CodeApprovalRequest | undefined
  /**
   * The open question of a saved agent. The same question about the same code on the same target keeps its id when it is
   * repeated.
   */
  readonly saved?: CodeApprovalRequest | undefined
  /**
   * The executor died before the programs began, and was started again. Where they were allowed then, they run without another
   * question.
   */
  readonly resumes?: boolean | undefined
}

/** Code to decide about. */
export interface AskedCode {
  readonly blocks: readonly CodeBlock[]
  readonly options: ExecuteOptions
  readonly asking: Asking
  readonly about: AboutCode
  readonly signal: AbortSignal
}

interface Decision {
  readonly request: CodeApprovalRequest
  readonly verdict: Verdict
}

/** A decision about code, and what it allows. */
export interface DecidedCode extends Decision {
  /** The programs to run. */
  readonly programs: readonly CodeBlock[]
  /** Whether they are other programs than those that were asked about. */
  readonly isEdited: boolean
  /** Whether it was known before this call. */
  readonly isResumed: boolean
  /** Of their run. */
  readonly record: RunRecord
}

/** A decision whose programs have no known end. */
interface OpenDecision extends Decision {
  /** `allowed`: no program has begun. */
  readonly state: 'allowed' | 'unknown'
}

/** The questions about code of one executor. */
export class CodeQuestions {
  readonly #place: PlaceOfCode
  readonly #own: AskOptions
  readonly #open = new WeakMap<DecisionLedger, OpenDecision>()
  #asking: Asking | undefined

  constructor(place: PlaceOfCode, own: AskOptions = {}) {
    this.#place = place
    this.#own = own
  }

  /** Returns who decides in a call: its options, and then those of the executor. Its questions are shown. */
  asking(
    { ask, askTimeoutMs, ledger, remembered, agent }: AskOptions = {},
    show?: ShowApproval | undefined,
  ): Asking {
    const own = this.#asking ?? {
      asker: askerOf(this.#own),
      ledger: this.#own.ledger ?? new DecisionLedger(),
      remembered: this.#own.remembered ?? new RememberedApprovals(),
      agent: this.#own.agent ?? 'assistant',
    }
    this.#asking = own
    const isOwn = ask === undefined && askTimeoutMs === undefined
    const asker = isOwn
      ? own.asker
      : askerOf({
          ask: { ...own.asker.kinds, ...definedOptions(byKind(ask ?? {})) },
          askTimeoutMs: askTimeoutMs ?? this.#own.askTimeoutMs,
        })
    return {
      asker: show === undefined ? asker : asker.showing(show),
      ledger: ledger ?? own.ledger,
      remembered: remembered ?? own.remembered,
      agent: agent ?? own.agent,
    }
  }

  /** Decides about code, one question at a time. Rejects with the signal's reason, and as {@link Asker.ask}. */
  async decide(code: AskedCode): Promise<DecidedCode> {
    const { blocks, options, asking, about, signal } = code
    const { kept, saved, resumes, context = '', retryAttempt = 0 } = about
    // Answers come in the order of the questions: a remembered answer decides those that wait.
    using _turn = await turnsOf(asking.remembered).take(signal)
    const asked = kept ?? codeRequest({ ...this.#named(asking), blocks, options, context, retryAttempt })
    const allowed = resumes === true ? this.#takeAllowed(asked, asking.ledger) : undefined
    if (allowed !== undefined) return this.#decided({ ...allowed, isResumed: true }, code)
    const request = kept ?? (await this.#toAsk(asked, saved, asking.ledger))
    const verdict = await this.#ask(request, code)
    return this.#decided({ request, verdict, isResumed: false }, code)
  }

  #named({ agent }: Asking): Pick<CodeToApprove, 'agent' | 'executor'> {
    return { agent, executor: this.#place }
  }

  /** Records a question before it is shown, and its answer. */
  async #ask(request: CodeApprovalRequest, code: AskedCode): Promise<Verdict> {
    const { ledger } = code.asking
    const { id, kind, digest, target, after } = request
    const isNew = code.about.kept === undefined
    if (isNew) await ledger.ask({ id, kind, digest, target, after })
    const verdict = await this.#answer(request, code).catch(async (error: unknown) => {
      // A kept question can be answered later. A question that the approver failed to answer also stays open.
      if (code.signal.aborted) {
        await code.asking.asker.show({ type: 'approval-withdrawn', id }, code.signal)
        if (isNew) await ledger.decide(id, { state: 'withdrawn' }).catch(() => {})
      }
      throw error
    })
    await ledger.decide(id, decisionOf(verdict, request))
    await code.asking.asker.show(answeredEvent(request, verdict.answer, verdict.isRemembered), code.signal)
    return verdict
  }

  async #answer(request: CodeApprovalRequest, { asking, about, signal }: AskedCode): Promise<Verdict> {
    const { asker, remembered } = asking
    const known = remembered.find(request)
    if (known !== undefined) {
      const { decision, reason = '' } = known
      const earlier = decision === 'deny' ? { decision, reason } : { decision }
      return { answer: earlier, isRemembered: true, isExpired: false }
    }
    if (about.kept === undefined)
      await asker.show({ type: 'approval-requested', request: structuredClone(request) }, signal)
    signal.throwIfAborted()
    const answer = await asker.ask<'code'>(request, { signal })
    signal.throwIfAborted()
    remembered.add(answer, request)
    return verdictOf(answer, request)
  }

  #decided(
    decision: Pick<DecidedCode, 'request' | 'verdict' | 'isResumed'>,
    { blocks, asking: { ledger } }: AskedCode,
  ): DecidedCode {
    const { request, verdict } = decision
    const { answer } = verdict
    const isEdited = answer.decision === 'edit' && codeHash(answer.blocks) !== codeHash(blocks)
    const programs = isEdited ? answer.blocks : blocks
    // An earlier decision is over, because other programs begin.
    if (answer.decision !== 'deny') this.#open.delete(ledger)
    const record = new RunRecord({
      ...{ ledger, id: request.id, digest: approvalDigest({ ...request, blocks: programs }) },
      onFailure: (state, error) => {
        const isResumable = FencedError.isInstance(error) && error.code === 'EXECUTOR_DIED'
        if (state === 'unknown' || isResumable) this.#open.set(ledger, { request, verdict, state })
      },
    })
    return { ...decision, programs, isEdited, record }
  }

  /**
   * Returns a new request for the approver. The same request in a saved state keeps its id while its question is open. Otherwise, and
   * after a run with an unknown end, the new request names the earlier one.
   */
  async #toAsk(
    request: CodeApprovalRequest,
    saved: CodeApprovalRequest | undefined,
    ledger: DecisionLedger,
  ): Promise<CodeApprovalRequest> {
    if (saved !== undefined && saved.digest === request.digest) {
      const again = await askedAgain(ledger, request, saved.id)
      return again.id === saved.id ? { ...again, askedAt: saved.askedAt } : again
    }
    const open = this.#open.get(ledger)
    if (open?.state !== 'unknown' || open.request.digest !== request.digest) return request
    return askedAfter(request, { id: open.request.id, mayHaveBegun: true })
  }

  /** Returns the decision that allows a request and has not begun, and forgets it. */
  #takeAllowed({ digest }: CodeApprovalRequest, ledger: DecisionLedger): Decision | undefined {
    const open = this.#open.get(ledger)
    if (open?.state !== 'allowed' || open.request.digest !== digest) return undefined
    this.#open.delete(ledger)
    return open
  }
}

/** The turns of the questions that remembered answers can decide. Other installed copies of this package have the same. */
const key = Symbol.for('fenced.questionTurns')
const shared = globalThis as { [key]?: WeakMap<RememberedApprovals, TurnQueue> }

function turnsOf(remembered: RememberedApprovals): TurnQueue {
  shared[key] ??= new WeakMap()
  const known = shared[key].get(remembered) ?? new TurnQueue()
  shared[key].set(remembered, known)
  return known
}
