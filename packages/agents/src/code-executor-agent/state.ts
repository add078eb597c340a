import {
  type CodeApprovalRequest,
  type RememberedApproval,
  RememberedApprovals,
  type ToolApprovalRequest,
} from '@fenced/core'
import { readApprovalRequest } from '@fenced/core/internal'
import { z } from 'zod'
import type { ToolResponse } from '../message/tool-parts.ts'
import type { ModelContextState } from '../model-context/model-context.ts'
import { type AgentState, readState } from '../task/chat-agent.ts'

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
  version: z.literal(4),
  context: z.custom<ModelContextState>((value) => typeof value === 'object' && value !== null),
  answers: z.custom<readonly RememberedApproval[]>(isRemembered, 'must be remembered approvals'),
  question: z
    .union([
      z.custom<CodeApprovalRequest>(isCodeRequest, 'must be a request for an approval of code'),
      z.custom<ToolApprovalRequest>(isToolRequest, 'must be a request for an approval of a call'),
    ])
    .exactOptional(),
  toolResponses: z.array(toolResponseSchema).default([]),
})

type State = Omit<z.output<typeof stateSchema>, 'type' | 'version'>

/** What a CodeExecutorAgent remembers, as plain data. */
export function stateOf(state: State): AgentState {
  return { type: 'CodeExecutorAgent', version: 4, ...state }
}

/** @throws FencedError `INVALID_STATE`. */
export function readAgentState(state: AgentState): State {
  return readState(stateSchema, state, 'CodeExecutorAgent')
}

function isRemembered(answers: unknown): boolean {
  return isRead(() => new RememberedApprovals().load(answers as readonly RememberedApproval[]))
}

function isCodeRequest(question: unknown): boolean {
  return isRead(() => readApprovalRequest(question))
}

const toolRequestSchema = z.looseObject({
  kind: z.literal('tool'),
  id: z.string().min(1),
  toolCallId: z.string(),
  question: z.string(),
  tool: z.string(),
})

function isToolRequest(question: unknown): boolean {
  return toolRequestSchema.safeParse(question).success
}

function isRead(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
