import type { CodeBlock } from '@fenced/markdown'

/**
 * An answer to an approval question: run the code, do not run it, or run other code instead. `remember` applies the answer to
 * later questions, either about this exact code (`code`) or about everything in this conversation (`conversation`). A remembered
 * answer is valid only for the same target: executor, isolation, network and working directory. Default: this time only.
 */
export type ApprovalAnswer = {
  /**
   * Origin of the decision (a person or a rule), recorded in the ledger.
   *
   * @default 'person' for an answer from an `ApprovalQueue`, otherwise 'rule'
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
