import type { ApprovalAnswer, AskAbout, CodeApprovalRequest } from '@fenced/core'

/** Gives one answer after the other, and keeps what was asked. */
export function answering(...answers: readonly ApprovalAnswer[]) {
  const requests: CodeApprovalRequest[] = []
  const approve: AskAbout<'code'> = (request) => {
    const answer = answers[requests.push(request) - 1]
    if (answer === undefined) throw new Error('nobody answers any more')
    return answer
  }
  return { ask: { code: approve }, requests }
}

export const allow = { decision: 'allow' } as const

export const deny = (reason: string) => ({ decision: 'deny', reason }) as const
