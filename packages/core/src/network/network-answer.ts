import { inspect } from 'node:util'
import { FencedError } from '../fenced-error.ts'
import { isAllowOrDeny } from '../host-tools/tool-answer.ts'
import type { NetworkApprovalAnswer } from './network-connection.ts'

/** @throws FencedError `INVALID_APPROVAL` for an answer that is none. */
export function checkNetworkAnswer(answer: unknown): NetworkApprovalAnswer {
  if (isAllowOrDeny(answer)) return answer
  throw new FencedError({
    code: 'INVALID_APPROVAL',
    message: `An approval of a connection answers { decision: 'allow' } or { decision: 'deny', reason }; this one answered ${inspect(answer, { depth: 1 })}. Nothing was connected to.`,
  })
}
