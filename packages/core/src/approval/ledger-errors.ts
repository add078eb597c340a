import { FencedError } from '@fenced/errors'
import type { DecisionRecord } from './decision-record.ts'

/** A store that failed, or a record that is damaged. */
export function ledgerUnavailable(
  id: string,
  { reason, cause }: { readonly reason: string; readonly cause: unknown },
): FencedError {
  const which = id === '' ? '' : ` for the decision ${id}`
  return new FencedError({
    code: 'LEDGER_UNAVAILABLE',
    message: `The ledger could not be read or written${which}: ${reason} The action was not allowed to start. Repair the ledger, or ask again.`,
    data: { id, reason },
    cause,
  })
}

/** A decision that does not allow what is about to begin. */
export function usedDecision({ id, state }: Pick<DecisionRecord, 'id' | 'state'>): FencedError {
  return new FencedError({
    code: 'APPROVAL_USED',
    message: `The decision ${id} does not allow this action: its state is "${state}". Nothing was run. Ask again.`,
    data: { id, state },
  })
}

/** A request that the ledger does not have. */
export function unknownDecision(id: string): FencedError {
  return new FencedError({
    code: 'UNKNOWN_APPROVAL',
    message: `The ledger has no decision ${id}: it was asked through another ledger, or removed. It may already have run. Nothing was run this time. Ask again.`,
    data: { id },
  })
}

/** Two questions with one id. */
export function otherQuestion(id: string): FencedError {
  return new FencedError({
    code: 'DUPLICATE_APPROVAL',
    message: `The ledger has a different question with the id ${id}. Nothing was run. Give each question a random id, such as \`crypto.randomUUID()\`.`,
    data: { id },
  })
}

/** An id that is not a random UUID. */
export function wrongId(id: string): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `The id of a decision must be a random UUID in lower case. This id is ${JSON.stringify(id)}. Use \`crypto.randomUUID()\`.`,
    data: { option: 'id', id },
  })
}
