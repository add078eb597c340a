import type { CodeApprovalRequest, ToolApprovalRequest } from '@fenced/core'
import type { HumanInputRequest } from './human-input/human-input.ts'

/** A question about code or a call of a tool. */
type ApprovalQuestion = CodeApprovalRequest | ToolApprovalRequest

/** A question without an answer, and the name of the agent that asks it. */
export interface OpenQuestion {
  readonly agent: string
  readonly request: ApprovalQuestion | HumanInputRequest
}

/** The state of an agent or a team, as plain data. */
export interface AgentState {
  readonly type: string
  readonly version: number
  readonly [field: string]: unknown
}
