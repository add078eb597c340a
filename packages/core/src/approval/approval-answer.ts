import { inspect } from 'node:util'
import type { CodeBlock } from '../code-block.ts'
import { FencedError } from '../fenced-error.ts'
import type { ToolApprovalAnswer } from '../host-tools/host-tool.ts'
import type { InputAnswer } from '../input/input-request.ts'
import type { NetworkApprovalAnswer } from '../network/network-connection.ts'
import type { CodeApprovalRequest } from './approval-request.ts'

/**
 * An answer: to run it, not to run it, or to run something else. `remember` lets an answer hold for this exact code from
 * now on (`code`), or for everything in this conversation (`conversation`), both only for the target of the question: the same
 * executor, isolation, network and working directory. Default: for this time only.
 */
export type ApprovalAnswer =
  | { readonly decision: 'allow'; readonly remember?: 'code' | 'conversation' | undefined }
  | { readonly decision: 'deny'; readonly reason: string; readonly remember?: 'code' | undefined }
  | {
      readonly decision: 'edit'
      readonly blocks: readonly Pick<CodeBlock, 'language' | 'code'>[]
      readonly reason?: string | undefined
    }

/**
 * Decides whether something may happen.
 *
 * @throws FencedError `HUMAN_INPUT_UNAVAILABLE` (or anything else) when nobody could be asked. Then nothing is run, and the
 *   execution fails; it does not count as a denial.
 */
export type Approve = (
  request: CodeApprovalRequest,
  options: { readonly signal: AbortSignal },
) => ApprovalAnswer | Promise<ApprovalAnswer>

/** An object that decides, such as an {@link ApprovalQueue}. */
export interface Approver {
  approve: Approve
}

/** @throws FencedError `INVALID_APPROVAL` for an answer that is none. */
export function checkAnswer(answer: unknown): ApprovalAnswer {
  if (isAnswer(answer)) return answer
  throw new FencedError({
    code: 'INVALID_APPROVAL',
    message: `An approval answers { decision: 'allow' }, { decision: 'deny', reason } or { decision: 'edit', blocks } with at least one block; this one answered ${shown(answer)}. Nothing was run.`,
    data: { answer: shown(answer) },
  })
}

/** @throws FencedError `INVALID_APPROVAL` for an answer that is none. */
export function checkToolAnswer(answer: unknown): ToolApprovalAnswer {
  return allowOrDeny(answer, { what: 'a call', consequence: 'The tool was not called.' })
}

/** @throws FencedError `INVALID_APPROVAL` for an answer that is none. */
export function checkNetworkAnswer(answer: unknown): NetworkApprovalAnswer {
  const about = { what: 'a connection', consequence: 'Nothing was connected to.' }
  return allowOrDeny(answer, about) as NetworkApprovalAnswer
}

/** @throws FencedError `INVALID_APPROVAL` for an answer that is none. */
export function checkInputAnswer(answer: unknown): InputAnswer {
  const { decision, text } = fieldsOf(answer)
  if (decision === 'answer' && typeof text === 'string' && !/[\n\r]/.test(text)) return { decision, text }
  if (decision === 'deny' && isAnswer(answer)) return answer as InputAnswer
  throw new FencedError({
    code: 'INVALID_APPROVAL',
    message: `A program that reads a line is answered with { decision: 'answer', text } of one line, or { decision: 'deny', reason }; this answer was ${shown(answer)}.`,
    data: { answer: shown(answer) },
  })
}

function allowOrDeny(
  answer: unknown,
  { what, consequence }: { readonly what: string; readonly consequence: string },
): Exclude<ApprovalAnswer, { decision: 'edit' }> {
  if (isAnswer(answer) && answer.decision !== 'edit') return answer
  throw new FencedError({
    code: 'INVALID_APPROVAL',
    message: `An approval of ${what} answers { decision: 'allow' } or { decision: 'deny', reason }; this one answered ${shown(answer)}. ${consequence}`,
    data: { answer: shown(answer) },
  })
}

function shown(answer: unknown): string {
  return inspect(answer, { depth: 1 })
}

function isAnswer(answer: unknown): answer is ApprovalAnswer {
  const { decision, reason, blocks } = fieldsOf(answer)
  switch (decision) {
    case 'allow':
      return true
    case 'deny':
      return typeof reason === 'string'
    case 'edit':
      return Array.isArray(blocks) && blocks.length > 0 && blocks.every(isProgram)
    default:
      return false
  }
}

function isProgram(block: unknown): boolean {
  const { language, code } = fieldsOf(block)
  return typeof language === 'string' && typeof code === 'string'
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
