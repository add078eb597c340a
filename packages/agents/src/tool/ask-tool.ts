import type { ToolApprovalAnswer, ToolApprovalRequest } from '@fenced/core'
import { type Asker, errorMessage, TurnQueue, untilAborted } from '@fenced/core/internal'
import type { RunContext } from '../running/run-with-events.ts'

/** Asks whether a tool may be called. `byDefault` is the answer where the approver leaves the decision to the default. */
export type AskTool = (
  request: ToolApprovalRequest,
  options: { readonly signal: AbortSignal; readonly byDefault: ToolApprovalAnswer },
) => Promise<ToolApprovalAnswer>

/** Asks an approver about tools, one question at a time; `undefined` where it is not asked about tools. */
export function toolQuestions(asker: Asker): AskTool | undefined {
  if (!asker.has('tool')) return undefined
  const turns = new TurnQueue()
  return async (request, { signal, byDefault }) => {
    using _turn = await turns.take(signal)
    return (await asker.ask<'tool'>(request, { signal })) ?? byDefault
  }
}

/** The question and its answer become events. The approver is called after the reader has seen the question. */
export function askedWithEvents(
  askTool: AskTool,
  { agent, run }: { readonly agent: string; readonly run: RunContext },
): AskTool {
  return async (request, options) => {
    const choices = [{ decision: 'allow' }, { decision: 'deny' }] as const
    await run.emit({ type: 'approval-requested', agent, request: structuredClone(request), choices })
    await run.drained()
    const answer = await askWhetherToCall(askTool, request, options)
    const { by: _, ...shown } = answer
    await run.emit({ type: 'approval-answered', agent, requestId: request.id, remembered: false, ...shown })
    return answer
  }
}

/** Asks whether a tool may be called. A wrong answer denies the call. @throws the signal's reason. */
export async function askWhetherToCall(
  askTool: AskTool,
  request: ToolApprovalRequest,
  options: Parameters<AskTool>[1],
): Promise<ToolApprovalAnswer> {
  const { signal } = options
  try {
    return await untilAborted(askTool(request, options), signal)
  } catch (error) {
    signal.throwIfAborted()
    return { decision: 'deny', reason: errorMessage(error) }
  }
}

/** Why a call is denied where its tool needs an approval. */
export const noApprover =
  'it needs an approval, and the agent has no `ask` or `approveTool` that could give it.'

/** The default of a tool that says nothing about approvals. */
export const allowedByDefault: ToolApprovalAnswer = { decision: 'allow' }

/** The default of a tool that needs an approval. */
export const deniedByDefault: ToolApprovalAnswer = { decision: 'deny', reason: noApprover }
