import type { CodeBlock } from '@fenced/markdown'
import type { CodeApprovalRequest } from './approval-request.ts'
import type { AskedAnswer } from './asker.ts'

/** The approved code, or the reason of a denial. */
export type Verdict = {
  /** The person or system that decided, if the answer names it. */
  readonly by?: 'person' | 'rule' | undefined
} & (
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
)

/** The verdict of an answer. It is copied at once: what becomes of the answer afterwards changes nothing. */
export function verdictOf(answer: AskedAnswer<'code'>, request: CodeApprovalRequest): Verdict {
  const { by } = answer
  switch (answer.decision) {
    case 'deny':
      return { decision: 'deny', remembered: false, by, reason: answer.reason, isExpired: answer.isExpired }
    case 'edit':
      return {
        ...{ decision: 'edit', remembered: false, by },
        blocks: editedBlocks(answer.blocks, request.blocks),
        reason: answer.reason,
      }
    case 'allow':
      return { decision: 'allow', remembered: false, by }
  }
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
