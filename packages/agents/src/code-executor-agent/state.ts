import { z } from 'zod'
import type { RememberedAnswers } from '../approval/approval-gate.ts'
import type { ModelContextState } from '../model-context/model-context.ts'
import type { AgentState } from '../task/chat-agent.ts'
import { readState } from '../task/read-state.ts'

const stateSchema = z.strictObject({
  type: z.literal('CodeExecutorAgent'),
  version: z.literal(1),
  context: z.custom<ModelContextState>((value) => typeof value === 'object' && value !== null),
  answers: z.strictObject({
    conversation: z.boolean(),
    allowed: z.array(z.string()),
    denied: z.record(z.string(), z.string()),
  }),
})

/** What a CodeExecutorAgent remembers, as plain data. */
export function stateOf(context: ModelContextState, answers: RememberedAnswers): AgentState {
  return { type: 'CodeExecutorAgent', version: 1, context, answers }
}

/** @throws FencedError `INVALID_STATE`. */
export function readAgentState(state: AgentState): Omit<z.output<typeof stateSchema>, 'type' | 'version'> {
  return readState(stateSchema, state, 'CodeExecutorAgent')
}
