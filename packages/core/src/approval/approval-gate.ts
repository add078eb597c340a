import type { CodeBlock } from '@fenced/markdown'
import type { CodeApprovalRequest } from './approval-request.ts'
import type { AskedAnswer, Asker } from './asker.ts'
import { RememberedApprovals } from './remembered-approvals.ts'

/** The approved code, or the reason of a denial. */
export type Verdict = {
  /** The person or system that decided, if the answer names it. */
  readonly by?: 'person' | 'rule' | undefined
} & VerdictKind

type VerdictKind =
  | { readonly decision: 'allow'; readonly remembered: boolean }
  | {
      readonly decision: 'edit'
      readonly remembered: false
      /** The edited code to run instead. */
      readonly blocks: readonly CodeBlock[]
      readonly reason?: string | undefined
    }
  | {
      readonly decision: 'deny'
      readonly remembered: boolean
      readonly reason: string
      /** Whether no answer came within `askTimeoutMs`. */
      readonly isExpired?: boolean | undefined
    }

/** Asks before code is run, unless an earlier answer holds. */
export class ApprovalGate {
  readonly remembered: RememberedApprovals
  readonly #asker: Asker

  /** @param asker - must be asked about code. */
  constructor(asker: Asker, remembered = new RememberedApprovals()) {
    this.#asker = asker
    this.remembered = remembered
  }

  /** Whether the answer is known without asking. */
  knows(request: CodeApprovalRequest): boolean {
    return this.remembered.find(request) !== undefined
  }

  /**
   * @throws FencedError `APPROVAL_UNAVAILABLE` when the approver failed, with its error as the cause; `INVALID_APPROVAL`
   * for an invalid answer; the signal's reason.
   */
  async decide(request: CodeApprovalRequest, signal: AbortSignal): Promise<Verdict> {
    const known = this.remembered.find(request)
    if (known !== undefined) {
      const { decision, reason = '' } = known
      return decision === 'deny' ? { decision, remembered: true, reason } : { decision, remembered: true }
    }
    const answer = (await this.#asker.ask(request, { signal })) as AskedAnswer<'code'>
    this.remembered.add(answer, request)
    const { by } = answer
    switch (answer.decision) {
      case 'deny':
        return { decision: 'deny', remembered: false, by, reason: answer.reason, isExpired: answer.isExpired }
      case 'edit': {
        const blocks = editedBlocks(answer.blocks, request.blocks)
        return { decision: 'edit', remembered: false, by, blocks, reason: answer.reason }
      }
      case 'allow':
        return { decision: 'allow', remembered: false, by }
    }
  }
}

/**
 * Copied at once: what becomes of the answer afterwards changes nothing. A person edits languages and code. A program stays in
 * the file that its fence names, unless the number of programs or its language has changed.
 */
function editedBlocks(
  edited: readonly Pick<CodeBlock, 'language' | 'code'>[],
  shown: CodeApprovalRequest['blocks'],
): CodeBlock[] {
  return edited.map(({ language, code }, index) => {
    const before = edited.length === shown.length ? shown[index] : undefined
    const info = before?.language === language ? before.info : undefined
    return { language, code, ...(info === undefined ? {} : { info }) }
  })
}
