import { type RememberedApproval, RememberedApprovals } from '@fenced/core'
import { z } from '@fenced/core/zod'
import type { ToolResponse } from '../message/tool-parts.ts'
import type { ModelContextState } from '../model-context/model-context.ts'
import { type AgentState, readState } from '../task/chat-agent.ts'
import { approvalQuestionSchema } from '../task/saved-questions.ts'

const pictureSchema = z.strictObject({ mediaType: z.string(), data: z.string() })

const toolResponseSchema: z.ZodType<ToolResponse> = z.strictObject({
  toolCallId: z.string(),
  name: z.string(),
  content: z.string(),
  pictures: z.array(pictureSchema).exactOptional(),
  isError: z.boolean().exactOptional(),
})

const stateSchema = z.strictObject({
  type: z.literal('CodeExecutorAgent'),
  version: z.literal(5),
  context: z.custom<ModelContextState>((value) => typeof value === 'object' && value !== null),
  answers: z.custom<readonly RememberedApproval[]>(isRemembered, 'must be remembered approvals'),
  question: approvalQuestionSchema.exactOptional(),
  isDenied: z.literal(true).exactOptional(),
  toolResponses: z.array(toolResponseSchema).default([]),
})

/** @throws FencedError `INVALID_STATE`. */
export function readAgentState(state: AgentState): z.output<typeof stateSchema> {
  return readState(stateSchema, state, 'CodeExecutorAgent')
}

function isRemembered(answers: unknown): boolean {
  try {
    new RememberedApprovals().load(answers as readonly RememberedApproval[])
    return true
  } catch {
    return false
  }
}
