import type { Approve } from '@fenced/core'

/** A function as AutoGen's `approval_func`: it gets the code and what the model wrote around it. */
export type ApprovalFunc = (request: {
  /** The programs in fenced blocks. */
  readonly code: string
  /** What the model wrote. */
  readonly context: string
}) => ApprovalResponse | Promise<ApprovalResponse>

interface ApprovalResponse {
  readonly approved: boolean
  /** For the model, where it is not approved. */
  readonly reason: string
}

/** Lets a function of AutoGen's form decide: `new CodeExecutorAgent({ approve: approveByFunc(approvalFunc), … })`. */
export function approveByFunc(approvalFunc: ApprovalFunc): Approve {
  return async ({ blocks, context }) => {
    const code = blocks.map((block) => `~~~~${block.language}\n${block.code.replace(/\n?$/, '\n')}~~~~`)
    const { approved, reason } = await approvalFunc({ code: code.join('\n\n'), context })
    return approved ? { decision: 'allow' } : { decision: 'deny', reason }
  }
}
