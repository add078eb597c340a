import { inspect } from 'node:util'
import { FencedError } from '../fenced-error.ts'
import type { ToolApprovalAnswer } from './host-tool.ts'

/** @throws FencedError `INVALID_APPROVAL` for an answer that is none. */
export function checkToolAnswer(answer: unknown): ToolApprovalAnswer {
  if (isAllowOrDeny(answer)) return answer
  throw new FencedError({
    code: 'INVALID_APPROVAL',
    message: `An approval of a call answers { decision: 'allow' } or { decision: 'deny', reason }; this one answered ${inspect(answer, { depth: 1 })}. The tool was not called.`,
  })
}

/** Whether an answer says no more than whether something may happen. */
export function isAllowOrDeny(answer: unknown): answer is ToolApprovalAnswer {
  if (typeof answer !== 'object' || answer === null || !('decision' in answer)) return false
  const { decision } = answer
  return (
    decision === 'allow' || (decision === 'deny' && 'reason' in answer && typeof answer.reason === 'string')
  )
}
