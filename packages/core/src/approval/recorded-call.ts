import type { AskKinds } from './ask.ts'
import { askedAfter } from './asked-again.ts'
import type { AskedAnswer } from './asker.ts'
import type { DecisionLedger } from './decision-ledger.ts'

/** A kind of question whose action is one call of a function. */
type CallKind = 'tool' | 'install' | 'file' | 'process'
type CallRequest = AskKinds[CallKind]['request']
type CallAnswer = AskedAnswer<CallKind>

/** The question about a call. */
interface CallToDecide<Request> {
  /** Absent where nothing is recorded. */
  readonly ledger: DecisionLedger | undefined
  /** Asks the recorded question. Rejects only when the call is cancelled, or leaves the question open. */
  readonly ask: (request: Request) => Promise<CallAnswer>
  /** Whether an error of `ask` leaves the question open. Otherwise it is withdrawn. */
  readonly leavesOpen?: (error: unknown) => boolean
}

interface CallToMake<Request, Output> extends CallToDecide<Request> {
  readonly make: () => Promise<Output>
  /** Whether the call was left behind, and may still run. Read after `make` has settled. */
  readonly isLeftBehind: () => boolean
}

/** A call that is allowed. It must begin and end once. */
export interface AllowedCall {
  readonly begin: () => Promise<void>
  readonly end: (state: 'finished' | 'unknown') => Promise<void>
}

/**
 * Makes a call once it is allowed, and records the question, the answer, the start and the end.
 *
 * @throws FencedError `APPROVAL_USED`, `LEDGER_UNAVAILABLE`: the call is not made. What the call throws.
 */
export async function recordedCall<Request extends CallRequest, Output>(
  request: Request,
  { make, isLeftBehind, ...deciding }: CallToMake<Request, Output>,
): Promise<{ readonly output: Output } | { readonly denial: string }> {
  const decided = await decidedCall(request, deciding)
  if ('denial' in decided) return decided
  await decided.begin()
  try {
    return { output: await make() }
  } finally {
    // A tool that fails has ended.
    await decided.end(isLeftBehind() ? 'unknown' : 'finished')
  }
}

/**
 * Asks about a call, and records the question and the answer. Where an earlier call with the same digest has an unknown end, the question
 * names it.
 *
 * @throws FencedError `APPROVAL_USED`, `LEDGER_UNAVAILABLE`.
 */
export async function decidedCall<Request extends CallRequest>(
  given: Request,
  { ledger, ask, leavesOpen = () => false }: CallToDecide<Request>,
): Promise<AllowedCall | { readonly denial: string }> {
  if (ledger === undefined) return answered(await ask(given))
  const request = afterUnknownEnd(given, ledger)
  const { id, kind, digest, after } = request
  const target = 'target' in request ? request.target : undefined
  await ledger.ask({ id, kind, digest, target, after })
  const answer = await ask(request).catch(async (error: unknown) => {
    if (!leavesOpen(error)) await ledger.decide(id, { state: 'withdrawn' }).catch(() => {})
    throw error
  })
  const by = answer.by ?? 'rule'
  if (answer.decision === 'deny') {
    await ledger.decide(id, answer.isExpired ? { state: 'expired' } : { state: 'denied', by })
    return { denial: answer.reason }
  }
  await ledger.decide(id, { state: 'allowed', by, digest })
  return {
    begin: async () => {
      await ledger.start(id, digest)
      unknownEndsOf(ledger).delete(digest)
    },
    end: async (state) => {
      if (state === 'unknown') keepUnknownEnd(ledger, { id, digest })
      // An end that cannot be recorded counts as unknown.
      await ledger.finish(id, state).catch(() => keepUnknownEnd(ledger, { id, digest }))
    },
  }
}

function answered(answer: CallAnswer): AllowedCall | { readonly denial: string } {
  if (answer.decision === 'deny') return { denial: answer.reason }
  return { begin: async () => {}, end: async () => {} }
}

/** Ids of the calls with an unknown end, by digest, of each ledger of this process. Other installed copies of this package have the same. */
const key = Symbol.for('fenced.unknownEnds')
const shared = globalThis as { [key]?: WeakMap<DecisionLedger, Map<string, string>> }

/** The number of calls with an unknown end that are kept for the next question. */
const mostUnknownEnds = 1_000

function unknownEndsOf(ledger: DecisionLedger): Map<string, string> {
  shared[key] ??= new WeakMap()
  const known = shared[key].get(ledger) ?? new Map<string, string>()
  shared[key].set(ledger, known)
  return known
}

function keepUnknownEnd(
  ledger: DecisionLedger,
  { id, digest }: { readonly id: string; readonly digest: string },
): void {
  const known = unknownEndsOf(ledger)
  known.set(digest, id)
  const [oldest] = known.keys()
  if (known.size > mostUnknownEnds && oldest !== undefined) known.delete(oldest)
}

function afterUnknownEnd<Request extends CallRequest>(request: Request, ledger: DecisionLedger): Request {
  const id = unknownEndsOf(ledger).get(request.digest)
  if (id === undefined || request.after !== undefined) return request
  return askedAfter(request, { id, mayHaveBegun: true })
}
