import { type RememberedApproval, RememberedApprovals } from '@fenced/core'
import { z } from '@fenced/core/zod'
import type { ModelContextState } from '../model-context/model-context.ts'

/** The memory of a CodeExecutorAgent, as its state keeps it. */
export const agentMemorySchema = z.strictObject({
  context: z.custom<ModelContextState>((value) => typeof value === 'object' && value !== null),
  answers: z.custom<readonly RememberedApproval[]>(isRemembered, 'must be remembered approvals'),
})

export type AgentMemory = z.output<typeof agentMemorySchema>

function isRemembered(answers: unknown): boolean {
  try {
    new RememberedApprovals().load(answers as readonly RememberedApproval[])
    return true
  } catch {
    return false
  }
}
