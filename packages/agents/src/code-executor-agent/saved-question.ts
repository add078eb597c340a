import type { CodeApprovalRequest, ToolApprovalRequest } from '@fenced/core'
import type { ToolCall, ToolResponse } from '../message/tool-parts.ts'
import { type ApprovalQuestion, deniedOnLoading } from '../task/saved-questions.ts'
import { deniedCall } from '../tool/call-tool.ts'

/** A question that was open when an agent was saved. */
export interface SavedQuestion {
  readonly question: ApprovalQuestion
  /** Answers of tools to the other calls of the same message. */
  readonly toolResponses: readonly ToolResponse[]
  /** Whether it was denied when the state was loaded. */
  readonly isDenied: boolean
}

/** A program that was about to run when the agent was saved. */
export interface SavedProgram {
  readonly question: CodeApprovalRequest
  readonly isDenied: boolean
}

/** Calls that were not over when the agent was saved. */
export interface UnfinishedCalls extends Pick<SavedQuestion, 'toolResponses' | 'isDenied'> {
  readonly question: ToolApprovalRequest
}

export function savedProgram(saved: SavedQuestion | undefined): SavedProgram | undefined {
  if (saved?.question.kind !== 'code') return undefined
  const { question, isDenied } = saved
  return { question, isDenied }
}

export function unfinishedCalls(saved: SavedQuestion | undefined): UnfinishedCalls | undefined {
  if (saved?.question.kind !== 'tool') return undefined
  const { question, toolResponses, isDenied } = saved
  return { question, toolResponses, isDenied }
}

/** Answers that are known before the calls are made: where the question was denied, none of them is made. */
export function knownResponses(
  { toolResponses, isDenied }: UnfinishedCalls,
  toolCalls: readonly ToolCall[],
): readonly ToolResponse[] {
  if (!isDenied) return toolResponses
  return [...toolResponses, ...toolCalls.map((call) => deniedCall(call, deniedOnLoading))]
}
