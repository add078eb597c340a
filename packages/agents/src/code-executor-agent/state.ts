import { type CodeApprovalRequest, type RememberedApproval, RememberedApprovals } from '@fenced/core'
import { readApprovalRequest } from '@fenced/core/internal'
import { z } from 'zod'
import type { ModelContextState } from '../model-context/model-context.ts'
import type { AgentState } from '../task/chat-agent.ts'
import { readState } from '../task/read-state.ts'

const stateSchema = z.strictObject({
  type: z.literal('CodeExecutorAgent'),
  version: z.literal(3),
  context: z.custom<ModelContextState>((value) => typeof value === 'object' && value !== null),
  answers: z.custom<readonly RememberedApproval[]>(isRemembered, 'must be remembered approvals'),
  question: z
    .custom<CodeApprovalRequest>(isRequest, 'must be a request for an approval of code')
    .exactOptional(),
})

/** Its answers cannot be listed by what they are for, so none of them holds: the question is asked again. */
const earlierStateSchema = stateSchema.extend({
  version: z.union([z.literal(1), z.literal(2)]),
  answers: z.unknown().transform((): readonly RememberedApproval[] => []),
})

type State = Pick<z.output<typeof stateSchema>, 'context' | 'answers' | 'question'>

/** What a CodeExecutorAgent remembers, as plain data. */
export function stateOf(state: State): AgentState {
  return { type: 'CodeExecutorAgent', version: 3, ...state }
}

/** @throws FencedError `INVALID_STATE`. */
export function readAgentState(state: AgentState): State {
  return readState(z.union([earlierStateSchema, stateSchema]), state, 'CodeExecutorAgent')
}

function isRemembered(answers: unknown): boolean {
  return isRead(() => new RememberedApprovals().load(answers as readonly RememberedApproval[]))
}

function isRequest(question: unknown): boolean {
  return isRead(() => readApprovalRequest(question))
}

function isRead(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
