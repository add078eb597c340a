import { z } from 'zod'
import type { RememberedAnswers } from '../approval/approval-gate.ts'
import type { ModelContextState } from '../model-context/model-context.ts'
import type { AgentState } from '../task/chat-agent.ts'
import { readState } from '../task/read-state.ts'

const stateSchema = z.strictObject({
  type: z.literal('CodeExecutorAgent'),
  version: z.literal(2),
  context: z.custom<ModelContextState>((value) => typeof value === 'object' && value !== null),
  answers: z.strictObject({
    places: z.array(z.string()),
    allowed: z.array(z.string()),
    denied: z.record(z.string(), z.string()),
  }),
})

/** Its answers do not say which place they were given for, so none of them holds: the question is asked again. */
const firstStateSchema = stateSchema.extend({
  version: z.literal(1),
  answers: z
    .strictObject({
      conversation: z.boolean(),
      allowed: z.array(z.string()),
      denied: z.record(z.string(), z.string()),
    })
    .transform(() => ({ places: [], allowed: [], denied: {} })),
})

type State = Pick<z.output<typeof stateSchema>, 'context' | 'answers'>

/** What a CodeExecutorAgent remembers, as plain data. */
export function stateOf(context: ModelContextState, answers: RememberedAnswers): AgentState {
  return { type: 'CodeExecutorAgent', version: 2, context, answers }
}

/** @throws FencedError `INVALID_STATE`. */
export function readAgentState(state: AgentState): State {
  return readState(z.union([firstStateSchema, stateSchema]), state, 'CodeExecutorAgent')
}
