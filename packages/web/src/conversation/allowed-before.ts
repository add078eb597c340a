import type { CodeApprovalRequest, CodeBlock, CodeExecutor } from '@fenced/core'
import { codeHash, targetHash, targetOf } from '@fenced/core/internal'
import type { GivenAnswer, LoggedEvent } from '../event.ts'

interface Programs {
  readonly executor: CodeExecutor
  readonly blocks: readonly CodeBlock[]
}

/**
 * Whether the last answer of a person to a question about exactly these programs, in the target of this executor, allowed them.
 * Programs that run because of a remembered answer were not asked about, so they do not count.
 */
export function wasAllowedBefore(log: Iterable<LoggedEvent>, { executor, blocks }: Programs): boolean {
  const programs = codeHash(blocks)
  const target = targetHash(targetOf(executor))
  const asked = new Map<string, CodeApprovalRequest>()
  let isAllowed = false
  for (const { event } of log) {
    if (event.type === 'approval-requested' && event.request.kind === 'code')
      asked.set(event.request.id, event.request)
    const request = event.type === 'approval-answered' ? asked.get(event.requestId) : undefined
    if (event.type !== 'approval-answered' || request === undefined) continue
    const isAbout = decidedHash(request, event.answer) === programs && targetHash(request.target) === target
    if (isAbout) isAllowed = event.answer.decision !== 'deny'
  }
  return isAllowed
}

/** What was decided about: an edit allows the edited programs and no others. */
function decidedHash({ codeHash: asked }: CodeApprovalRequest, answer: GivenAnswer): string {
  return answer.decision === 'edit' ? codeHash(answer.blocks) : asked
}
