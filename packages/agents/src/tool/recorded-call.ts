import type { DecisionLedger, ToolApprovalAnswer, ToolApprovalRequest } from '@fenced/core'

/** A question about a call, as a ledger records it. */
export type RecordedRequest = ToolApprovalRequest & { readonly digest: string }

/** A call that is asked about. */
interface CallToRecord<Output> {
  readonly ledger: DecisionLedger
  readonly signal: AbortSignal
  /** Asks. Rejects only when the signal is aborted. */
  readonly ask: () => Promise<ToolApprovalAnswer>
  readonly make: () => Promise<Output>
}

/**
 * Makes a call once it is allowed, and records the question, the answer, the start and the end.
 *
 * @throws FencedError `APPROVAL_USED`, `LEDGER_UNAVAILABLE`: the call is not made. What the call throws.
 */
export async function recordedCall<Output>(
  { id, kind, digest, after }: RecordedRequest,
  { ledger, signal, ask, make }: CallToRecord<Output>,
): Promise<{ readonly output: Output } | { readonly denial: string }> {
  await ledger.ask({ id, kind, digest, after })
  const answer = await ask().catch(async (error: unknown) => {
    await ledger.decide(id, { state: 'withdrawn' }).catch(() => {})
    throw error
  })
  const by = answer.by ?? 'rule'
  if (answer.decision === 'deny') {
    await ledger.decide(id, { state: 'denied', by })
    return { denial: answer.reason }
  }
  await ledger.decide(id, { state: 'allowed', by, digest })
  await ledger.start(id, digest)
  try {
    return { output: await make() }
  } finally {
    // A tool that fails has ended. One that was left behind may still run. An end that cannot be recorded counts as unknown.
    await ledger.finish(id, signal.aborted ? 'unknown' : 'finished').catch(() => {})
  }
}
