import { type RememberedApproval, RememberedApprovals } from '@fenced/core'
import { z } from 'zod'
import type { ModelContextState } from '../model-context/model-context.ts'
import type { AgentState } from '../task/chat-agent.ts'
import { readState } from '../task/read-state.ts'

const stateSchema = z.strictObject({
  type: z.literal('CodeExecutorAgent'),
  version: z.literal(3),
  context: z.custom<ModelContextState>((value) => typeof value === 'object' && value !== null),
  answers: z.custom<readonly RememberedApproval[]>(isRemembered, 'must be remembered approvals'),
})

/** Its answers cannot be listed by what they are for, so none of them holds: the question is asked again. */
const earlierStateSchema = stateSchema.extend({
  version: z.union([z.literal(1), z.literal(2)]),
  answers: z.unknown().transform((): readonly RememberedApproval[] => []),
})

type State = Pick<z.output<typeof stateSchema>, 'context' | 'answers'>

/** What a CodeExecutorAgent remembers, as plain data. */
export function stateOf(context: ModelContextState, answers: readonly RememberedApproval[]): AgentState {
  return { type: 'CodeExecutorAgent', version: 3, context, answers }
}

/** @throws FencedError `INVALID_STATE`. */
export function readAgentState(state: AgentState): State {
  return readState(z.union([earlierStateSchema, stateSchema]), state, 'CodeExecutorAgent')
}

function isRemembered(answers: unknown): boolean {
  try {
    new RememberedApprovals().load(answers as readonly RememberedApproval[])
    return true
  } catch {
    return false
  }
}
