import type { CodeBlock } from '../code-block.ts'
import type { CodeApprovalRequest } from './approval-request.ts'

/**
 * An answer: to run it, not to run it, or to run something else. `remember` lets an answer hold for this exact code from
 * now on (`code`), or for everything in this conversation (`conversation`), both only for the target of the question: the same
 * executor, isolation, network and working directory. Default: for this time only.
 */
export type ApprovalAnswer = {
  /**
   * The person or system that decides, for the ledger.
   *
   * @default 'person' for an answer of an `ApprovalQueue`, otherwise 'rule'
   */
  readonly by?: 'person' | 'rule' | undefined
} & CodeAnswer

type CodeAnswer =
  | { readonly decision: 'allow'; readonly remember?: 'code' | 'conversation' | undefined }
  | { readonly decision: 'deny'; readonly reason: string; readonly remember?: 'code' | undefined }
  | {
      readonly decision: 'edit'
      readonly blocks: readonly Pick<CodeBlock, 'language' | 'code'>[]
      readonly reason?: string | undefined
    }

/**
 * Decides whether something may happen.
 *
 * @throws FencedError `HUMAN_INPUT_UNAVAILABLE` (or anything else) when the approver cannot be reached. Then nothing is run, and the
 *   execution fails; it does not count as a denial.
 */
export type Approve = (
  request: CodeApprovalRequest,
  options: { readonly signal: AbortSignal },
) => ApprovalAnswer | Promise<ApprovalAnswer>

/** An object that decides, such as an {@link ApprovalQueue}. */
export interface Approver {
  /** Answers questions about code. */
  approve: Approve
}
