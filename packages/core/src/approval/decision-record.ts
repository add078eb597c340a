import { isOwnerGone, parseOwner } from '@fenced/shared'
import { z } from '../zod.ts'
import { type ApprovalTarget, approvalTargetSchema } from './approval-request.ts'
import type { DecidedBy, DecisionState, LedgerEntries } from './ledger-store.ts'

/** A ledger's record of one decision. Plain data without code, output or typed text. */
export interface DecisionRecord {
  /** ID of the request. */
  readonly id: string
  /** State of the decision and its run. */
  readonly state: DecisionState
  /** Kind of the question: `code`, `tool`, ... */
  readonly kind: string
  /** Digest of the action in question. */
  readonly digest: string
  /** Digest of the allowed action. Differs from `digest` if the approver edited the program. */
  readonly allowedDigest?: string
  /** Target of the action. */
  readonly target?: ApprovalTarget
  /** ID of an earlier decision about the same action. */
  readonly after?: string
  /** Origin of the decision. Absent if the question was closed without an answer. */
  readonly decidedBy?: DecidedBy
  /** Time of the question, in milliseconds since 1970. */
  readonly askedAt: number
  /** Time of the answer, in milliseconds since 1970. */
  readonly decidedAt?: number
  /** Time of the start, in milliseconds since 1970. */
  readonly startedAt?: number
  /** Time of the end, in milliseconds since 1970. */
  readonly endedAt?: number
}

const at = z.number()
const digest = z.string().regex(/^[0-9a-f]{64}$/)

const entriesSchema = z.lazy(() =>
  z
    .strictObject({
      asked: z.strictObject({
        state: z.literal('asked'),
        at,
        kind: z.string().min(1),
        digest,
        target: approvalTargetSchema.exactOptional(),
        after: z.string().exactOptional(),
      }),
      decided: z
        .strictObject({
          state: z.enum(['allowed', 'denied', 'withdrawn', 'expired']),
          at,
          by: z.enum(['person', 'rule', 'remembered']).exactOptional(),
          digest: digest.exactOptional(),
        })
        .refine((entry) => entry.state !== 'allowed' || entry.digest !== undefined)
        .exactOptional(),
      started: z.strictObject({ state: z.literal('started'), at, owner: z.string() }).exactOptional(),
      ended: z.strictObject({ state: z.enum(['finished', 'unknown']), at }).exactOptional(),
    })
    .refine(({ decided, started }) => started === undefined || decided?.state === 'allowed')
    .refine(({ started, ended }) => ended === undefined || started !== undefined),
)

/**
 * Returns the entries of a decision, or `undefined` for an unknown decision.
 *
 * @throws ZodError for entries that are damaged, or of which one is missing.
 */
export function checkEntries(entries: object): LedgerEntries | undefined {
  if (Object.keys(entries).length === 0) return undefined
  return entriesSchema.parse(entries) as LedgerEntries
}

/** The record of entries that were checked. */
export function recordOf(id: string, entries: LedgerEntries, expireAfterMs: number): DecisionRecord {
  const { asked, decided, started, ended } = entries
  if (asked === undefined) throw new TypeError('A decision begins with its question.')
  const { kind, digest: askedDigest, target, after } = asked
  return {
    id,
    state: stateOf(entries, expireAfterMs),
    kind,
    digest: askedDigest,
    ...(decided?.digest === undefined ? {} : { allowedDigest: decided.digest }),
    ...(target === undefined ? {} : { target }),
    ...(after === undefined ? {} : { after }),
    ...(decided?.by === undefined ? {} : { decidedBy: decided.by }),
    askedAt: asked.at,
    ...(decided === undefined ? {} : { decidedAt: decided.at }),
    ...(started === undefined ? {} : { startedAt: started.at }),
    ...(ended === undefined ? {} : { endedAt: ended.at }),
  }
}

/** A run whose process is gone has no end. A process on another machine cannot be looked up, and counts as running. */
function stateOf({ asked, decided, started, ended }: LedgerEntries, expireAfterMs: number): DecisionState {
  if (ended !== undefined) return ended.state
  if (started !== undefined) {
    const owner = parseOwner(started.owner)
    return owner === undefined || isOwnerGone(owner) ? 'unknown' : 'started'
  }
  const state = decided?.state ?? 'asked'
  const isOpen = state === 'asked' || state === 'allowed'
  return isOpen && isOlder(asked, expireAfterMs) ? 'expired' : state
}

/** Whether a question was asked longer ago than that. */
export function isOlder(asked: LedgerEntries['asked'], timeMs: number): boolean {
  return asked !== undefined && Date.now() - asked.at > timeMs
}
