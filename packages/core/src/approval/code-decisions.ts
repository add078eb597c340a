import { FencedError } from '@fenced/errors'
import type { CodeBlock } from '@fenced/markdown'
import type { Verdict } from './approval-gate.ts'
import type { CodeApprovalRequest } from './approval-request.ts'
import { askedAfter, askedAgain } from './asked-again.ts'
import type { DecisionLedger } from './decision-ledger.ts'
import { approvalDigest } from './digest.ts'
import type { DecidedBy } from './ledger-store.ts'

/** A decision whose programs have no known end. */
export interface OpenDecision {
  readonly request: CodeApprovalRequest
  readonly verdict: Verdict
  /** `allowed`: no program has begun. */
  readonly state: 'allowed' | 'unknown'
}

/** The decisions of one executor, in its ledger. */
export class CodeDecisions {
  readonly ledger: DecisionLedger
  #open: OpenDecision | undefined

  constructor(ledger: DecisionLedger) {
    this.ledger = ledger
  }

  /**
   * Returns a new request for the approver. The same request in a saved state keeps its id while its question is open. Otherwise, and after a
   * run with an unknown end, the new request names the earlier one.
   */
  async toAsk(
    request: CodeApprovalRequest,
    saved: CodeApprovalRequest | undefined,
  ): Promise<CodeApprovalRequest> {
    if (saved !== undefined && saved.digest === request.digest) {
      const again = await askedAgain(this.ledger, request, saved.id)
      return again.id === saved.id ? { ...again, askedAt: saved.askedAt } : again
    }
    const open = this.#open
    if (open?.state !== 'unknown' || open.request.digest !== request.digest) return request
    return askedAfter(request, { id: open.request.id, mayHaveBegun: true })
  }

  /** Returns the decision that allows a request and has not begun, and forgets it. */
  takeAllowed({ digest }: CodeApprovalRequest): OpenDecision | undefined {
    const open = this.#open
    if (open?.state !== 'allowed' || open.request.digest !== digest) return undefined
    this.#open = undefined
    return open
  }

  /** Records a question, before it is shown. */
  async ask({ id, kind, digest, target, after }: CodeApprovalRequest): Promise<void> {
    await this.ledger.ask({ id, kind, digest, target, after })
  }

  /** Records an answer. */
  async decide(request: CodeApprovalRequest, verdict: Verdict): Promise<void> {
    const by: DecidedBy = verdict.remembered ? 'remembered' : (verdict.by ?? 'rule')
    const { id } = request
    if (verdict.decision !== 'deny') {
      const digest = digestOf(request, programsIn(verdict, request))
      return await this.ledger.decide(id, { state: 'allowed', by, digest })
    }
    await this.ledger.decide(id, verdict.isExpired === true ? { state: 'expired' } : { state: 'denied', by })
  }

  /** Records that a question has ended without an answer. Where that fails, the question stays open in the ledger. */
  async withdraw({ id }: CodeApprovalRequest): Promise<void> {
    await this.ledger.decide(id, { state: 'withdrawn' }).catch(() => {})
  }

  /** Keeps a decision for the next call, which can be about the same programs. */
  failed(decision: OpenDecision, error: unknown): void {
    const isResumable = FencedError.isInstance(error) && error.code === 'EXECUTOR_DIED'
    if (decision.state === 'unknown' || isResumable) this.#open = decision
  }

  /** Forgets the earlier decision about programs, because others begin. */
  begins(): void {
    this.#open = undefined
  }
}

function programsIn(verdict: Verdict, { blocks }: CodeApprovalRequest): readonly CodeBlock[] {
  return verdict.decision === 'edit' ? verdict.blocks : blocks
}

/** Digest of a request with other programs. */
export function digestOf(request: CodeApprovalRequest, blocks: readonly CodeBlock[]): string {
  return approvalDigest({ ...request, blocks })
}
