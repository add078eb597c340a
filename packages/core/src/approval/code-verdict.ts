import type { CodeBlock } from '@fenced/markdown'
import type { ApprovalAnswer } from './approval-answer.ts'
import type { CodeApprovalRequest } from './approval-request.ts'
import type { AskedAnswer } from './asker.ts'
import type { DecisionAnswer } from './decision-ledger.ts'
import { approvalDigest } from './digest.ts'

/** The answer to a question about code, or an earlier one that holds for it. */
export interface Verdict {
  readonly answer:
    | Exclude<ApprovalAnswer, { readonly decision: 'edit' }>
    | (Extract<ApprovalAnswer, { readonly decision: 'edit' }> & {
        /** The edited code to run instead. */
        readonly blocks: readonly CodeBlock[]
      })
  readonly isRemembered: boolean
  /** Whether no answer came within `askTimeoutMs`. */
  readonly isExpired: boolean
}

/** The verdict of an answer. It is copied at once: what becomes of the answer afterwards changes nothing. */
export function verdictOf(given: AskedAnswer<'code'>, request: CodeApprovalRequest): Verdict {
  const { isExpired = false, ...answer } = given
  const verdict = { isRemembered: false, isExpired }
  if (answer.decision !== 'edit') return { ...verdict, answer }
  return { ...verdict, answer: { ...answer, blocks: editedBlocks(answer.blocks, request.blocks) } }
}

/** The same for the ledger. */
export function decisionOf(
  { answer, isRemembered, isExpired }: Verdict,
  request: CodeApprovalRequest,
): DecisionAnswer {
  const by = isRemembered ? 'remembered' : (answer.by ?? 'rule')
  if (answer.decision === 'deny') return isExpired ? { state: 'expired' } : { state: 'denied', by }
  const { blocks } = answer.decision === 'edit' ? answer : request
  return { state: 'allowed', by, digest: approvalDigest({ ...request, blocks }) }
}

/**
 * A person edits languages and code. A program stays in the file that its fence names, unless the number of programs or its language
 * has changed.
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
