import type { DecisionLedger } from './decision-ledger.ts'
import type { DecisionState } from './ledger-store.ts'

interface RepeatedQuestion {
  readonly kind: string
  readonly id: string
  readonly question: string
  readonly after?: string
}

/** The sentence of a question about a program that may run a second time. */
export const mayHaveRun = 'This program may have run already.'

/** The sentences of questions about other actions that may happen a second time, by kind. */
const mayHaveHappened: Readonly<Record<string, string>> = {
  tool: 'This call may have been made already.',
  install: 'This installation may have been made already.',
  file: 'This change may have been made already.',
  process: 'This process may have been started already.',
}

const notBegun: ReadonlySet<DecisionState> = new Set(['asked', 'allowed', 'denied', 'withdrawn', 'expired'])

/**
 * Returns a new request about the action of a saved question. It has the id of the saved question while that question is open in the ledger. Otherwise
 * it has its own id, and names the saved question. A question that the ledger does not have may have been answered elsewhere.
 */
export async function askedAgain<Request extends RepeatedQuestion>(
  ledger: DecisionLedger,
  request: Request,
  savedId: string,
): Promise<Request> {
  const record = await ledger.find(savedId)
  if (record?.state === 'asked') return { ...request, id: savedId }
  return askedAfter(request, {
    id: savedId,
    mayHaveBegun: record === undefined || !notBegun.has(record.state),
  })
}

/** Returns a request that names an earlier one about the same action. */
export function askedAfter<Request extends RepeatedQuestion>(
  request: Request,
  { id, mayHaveBegun }: { readonly id: string; readonly mayHaveBegun: boolean },
): Request {
  const sentence = mayHaveHappened[request.kind] ?? mayHaveRun
  const question = mayHaveBegun ? `${request.question} ${sentence}` : request.question
  return { ...request, question, after: id }
}
