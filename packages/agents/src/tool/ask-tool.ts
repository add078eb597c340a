import type { ToolApprovalAnswer, ToolApprovalRequest } from '@fenced/core'
import { type Asker, checkedAnswer } from '@fenced/core/internal'
import { TurnQueue } from '@fenced/shared'
import { choicesOf } from '../running/run-program.ts'
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

/**
 * The question and its answer become events. The approver is called after the reader has seen the question, unless the run was given the
 * answer; `undefined` without an approver and without given answers.
 */
export function askedWithEvents(
  askTool: AskTool | undefined,
  { agent, run }: { readonly agent: string; readonly run: RunContext },
): AskTool | undefined {
  const { given } = run
  if (askTool === undefined && given === undefined) return undefined
  return async (request, options) => {
    const choices = choicesOf(request)
    await run.emit({ type: 'approval-requested', agent, request: structuredClone(request), choices })
    await run.drained()
    const known = given?.take(request.id)
    const answer =
      known === undefined ? await (askTool ?? noAnswer)(request, options) : checkedAnswer('tool', known)
    await run.emit({ type: 'approval-answered', agent, requestId: request.id, answer, remembered: false })
    return answer
  }
}

const noAnswer: AskTool = async () => ({ decision: 'deny', reason: noApprover })

/** Why a call is denied where its tool needs an approval. */
export const noApprover = 'it needs an approval, and the agent has no `ask` that could give it.'
