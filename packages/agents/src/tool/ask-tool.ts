import type { ToolApprovalAnswer, ToolApprovalRequest } from '@fenced/core'
import type { Asker } from '@fenced/core/internal'
import { TurnQueue } from '@fenced/shared'
import { choicesOf } from '../running/run-code.ts'
import type { RunContext } from '../running/run-with-events.ts'

/** Asks whether a tool may be called. */
export type AskTool = (
  request: ToolApprovalRequest,
  options: { readonly signal: AbortSignal },
) => Promise<ToolApprovalAnswer>

/** Asks an approver about tools, one question at a time; `undefined` where it is not asked about tools. */
export function toolQuestions(asker: Asker): AskTool | undefined {
  if (!asker.has('tool')) return undefined
  const turns = new TurnQueue()
  return async (request, { signal }) => {
    using _turn = await turns.take(signal)
    return await asker.ask<'tool'>(request, { signal })
  }
}

/** The question and its answer become events. The approver is called after the reader has seen the question. */
export function askedWithEvents(
  askTool: AskTool,
  { agent, run }: { readonly agent: string; readonly run: RunContext },
): AskTool {
  return async (request, options) => {
    const choices = choicesOf(request)
    await run.emit({ type: 'approval-requested', agent, request: structuredClone(request), choices })
    await run.drained()
    const answer = await askTool(request, options)
    await run.emit({ type: 'approval-answered', agent, requestId: request.id, answer, remembered: false })
    return answer
  }
}

/** Why a call is denied where its tool needs an approval. */
export const noApprover = 'it needs an approval, and the agent has no `ask` that could give it.'
