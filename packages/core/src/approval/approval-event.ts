import type { ApprovalRequest, AskKind, AskKinds } from './ask.ts'

/** A question of any kind, its answer, or its withdrawal because nothing waits for the answer anymore. */
export type ApprovalEvent =
  | { readonly type: 'approval-requested'; readonly request: ApprovalRequest }
  | {
      readonly type: 'approval-answered'
      /** ID of the request. */
      readonly id: string
      /** The answer. If the question was about a secret, its text is empty. */
      readonly answer: AskKinds[AskKind]['answer']
      /** Whether an earlier answer was used, without asking again. */
      readonly remembered: boolean
    }
  | { readonly type: 'approval-withdrawn'; readonly id: string }

/** Tells about a question. Resolves when the reader of the events has handled it; without a reader at once. */
export type ShowApproval = (event: ApprovalEvent, signal: AbortSignal) => Promise<void>

/**
 * An answer as an event: a copy, so that a reader cannot change what happens. Only the program receives the text that a person types for a
 * secret.
 */
export function answeredEvent(
  request: ApprovalRequest,
  answer: AskKinds[AskKind]['answer'],
  remembered = false,
): ApprovalEvent {
  const isSecret = request.kind === 'input' && request.isSecret
  const shown = {
    ...answer,
    ...(answer.decision === 'edit' ? { blocks: answer.blocks.map((block) => ({ ...block })) } : {}),
    ...(isSecret && answer.decision === 'answer' ? { text: '' } : {}),
  } as typeof answer
  return { type: 'approval-answered', id: request.id, answer: shown, remembered }
}
