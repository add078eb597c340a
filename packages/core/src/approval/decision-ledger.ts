import { errorMessage, FencedError } from '@fenced/errors'
import { formatOwner, thisOwner } from '@fenced/shared'
import { knownOptions } from '../options/known-options.ts'
import { parseOptions } from '../options/parse-options.ts'
import { z } from '../zod.ts'
import type { ApprovalTarget } from './approval-request.ts'
import { checkEntries, type DecisionRecord, isOlder, recordOf } from './decision-record.ts'
import { ledgerUnavailable, otherQuestion, unknownDecision, usedDecision, wrongId } from './ledger-errors.ts'
import {
  type DecidedBy,
  type DecidedEntry,
  type LedgerEntries,
  type LedgerStep,
  type LedgerStore,
  MemoryLedgerStore,
} from './ledger-store.ts'

/** Options for {@link DecisionLedger}. */
export interface DecisionLedgerOptions {
  /**
   * Store for the decisions.
   *
   * @default an in-memory store, kept for the ledger's lifetime
   */
  readonly store?: LedgerStore | undefined
  /**
   * Age at which an unanswered question or an unused permission becomes `expired`, in milliseconds. Records of that age are
   * removed.
   *
   * @default 30 days
   */
  readonly expireAfterMs?: number | undefined
}

/** A question, as recorded by a ledger. */
export interface DecisionQuestion {
  /** A random UUID. */
  readonly id: string
  readonly kind: string
  readonly digest: string
  readonly target?: ApprovalTarget | undefined
  readonly after?: string | undefined
}

/** An answer, as recorded by a ledger. */
export interface DecisionAnswer {
  readonly state: DecidedEntry['state']
  /** Origin of the decision. Absent if the question was closed without an answer. */
  readonly by?: DecidedBy | undefined
  /** Digest of the allowed action. Absent if nothing is allowed. */
  readonly digest?: string | undefined
}

const dayMs = 24 * 60 * 60_000

/** Default of {@link DecisionLedgerOptions.expireAfterMs}. */
export const defaultExpireAfterMs = 30 * dayMs

const optionsSchema = z.strictObject({
  store: z.custom<LedgerStore>(isStore, 'must be a LedgerStore').optional(),
  expireAfterMs: z.int().min(1).default(defaultExpireAfterMs),
})

/**
 * Records each decision, so that an action that was allowed once starts at most once. The states are
 * `asked → allowed | denied | withdrawn | expired`, then `allowed → started → finished | unknown`. Only one caller can move a
 * decision from `allowed` to `started`.
 *
 * Pass the same ledger to all executors and agents that share questions. All methods reject with FencedError `LEDGER_UNAVAILABLE`
 * if the store fails or a record is damaged. In that case, nothing may run.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class DecisionLedger {
  readonly #store: LedgerStore
  readonly #expireAfterMs: number
  /** Runs whose end could not be recorded. */
  readonly #unrecorded = new Set<string>()
  /** Questions are recorded, and then asked, in the order of the calls. */
  #asked: Promise<unknown> = Promise.resolve()
  #sweptAt = 0

  constructor(options: DecisionLedgerOptions = {}) {
    const { store = new MemoryLedgerStore(), expireAfterMs } = parseOptions(
      optionsSchema,
      options,
      'DecisionLedger',
    )
    this.#store = store
    this.#expireAfterMs = expireAfterMs
  }

  /** Whether other processes can reach its records: `false` for the default store. */
  get isShared(): boolean {
    return this.#store.isShared !== false
  }

  /** Resolves with the record of a request, or `undefined`. */
  async find(id: string): Promise<DecisionRecord | undefined> {
    const entries = await this.#entries(id)
    if (entries === undefined) return undefined
    const record = recordOf(id, entries, this.#expireAfterMs)
    return record.state === 'started' && this.#unrecorded.has(id) ? { ...record, state: 'unknown' } : record
  }

  /** Resolves with all records, oldest question first. */
  async list(): Promise<DecisionRecord[]> {
    const ids = await this.#try(() => this.#store.list())
    const records = await Promise.all(ids.filter(isId).map((id) => this.find(id)))
    return records.filter((record) => record !== undefined).sort((a, b) => a.askedAt - b.askedAt)
  }

  /** Removes a record. `runApproved` rejects requests that have no record. */
  async remove(id: string): Promise<void> {
    await this.#try(() => this.#store.remove(checkId(id)))
  }

  /**
   * Records a question before it is shown. Recording the same question again has no effect.
   *
   * @throws FencedError `DUPLICATE_APPROVAL` if a different question has the same ID; `APPROVAL_USED` if the question is closed.
   */
  async ask(question: DecisionQuestion): Promise<void> {
    const asked = this.#asked.then(() => this.#ask(question))
    this.#asked = asked.catch(() => {})
    await asked
  }

  async #ask({ id, kind, digest, target, after }: DecisionQuestion): Promise<void> {
    await this.#sweep()
    const isNew = await this.#create(
      { id, step: 'asked' },
      {
        state: 'asked',
        at: Date.now(),
        kind,
        digest,
        ...(target === undefined ? {} : { target }),
        ...(after === undefined ? {} : { after }),
      },
    )
    if (isNew) return
    const record = await this.#found(id)
    if (record.digest !== digest || record.kind !== kind) throw otherQuestion(id)
    if (record.state !== 'asked') throw usedDecision(record)
  }

  /**
   * Records the answer to a question. The same answer can be recorded twice, because two processes can hold the same question.
   *
   * @throws FencedError `APPROVAL_USED` if the question is closed or has a different answer; `UNKNOWN_APPROVAL`.
   */
  async decide(id: string, answer: DecisionAnswer): Promise<void> {
    const { state, by, digest } = knownOptions(answer, { state: true, by: true, digest: true }, 'decide()')
    const before = await this.#found(id)
    if (before.state === 'asked') {
      const entry = {
        state,
        at: Date.now(),
        ...(by === undefined ? {} : { by }),
        ...(digest === undefined ? {} : { digest }),
      }
      if (await this.#create({ id, step: 'decided' }, entry)) return
    }
    const record = await this.#found(id)
    if (record.state !== state || record.allowedDigest !== digest) throw usedDecision(record)
  }

  /**
   * Records that the action is starting. Resolves for only one caller, which may then start the action.
   *
   * @param digest - Digest of the action, which must match the digest that was allowed.
   * @throws FencedError `APPROVAL_USED` if the decision is not `allowed`, or allows a different action; `UNKNOWN_APPROVAL`.
   */
  async start(id: string, digest: string): Promise<void> {
    const record = await this.#found(id)
    if (record.state !== 'allowed' || record.allowedDigest !== digest) throw usedDecision(record)
    const owner = formatOwner(thisOwner())
    if (await this.#create({ id, step: 'started' }, { state: 'started', at: Date.now(), owner })) return
    throw usedDecision({ ...record, state: 'started' })
  }

  /** Records the end of an action. Use `unknown` if it is uncertain whether, or how far, the action ran. */
  async finish(id: string, state: 'finished' | 'unknown'): Promise<void> {
    try {
      await this.#create({ id, step: 'ended' }, { state, at: Date.now() })
    } catch (error) {
      this.#unrecorded.add(id)
      throw error
    }
  }

  async #found(id: string): Promise<DecisionRecord> {
    const record = await this.find(id)
    if (record === undefined) throw unknownDecision(id)
    return record
  }

  async #entries(id: string): Promise<LedgerEntries | undefined> {
    checkId(id)
    return await this.#try(async () => checkEntries(await this.#store.read(id)), id)
  }

  #create<Step extends LedgerStep>(
    key: { readonly id: string; readonly step: Step },
    entry: NonNullable<LedgerEntries[Step]>,
  ): Promise<boolean> {
    checkId(key.id)
    return this.#try(() => this.#store.create(key, entry), key.id)
  }

  /** Removes old records: with the first question, and then once a day, or as often as records become old. */
  async #sweep(): Promise<void> {
    if (Date.now() - this.#sweptAt < Math.min(dayMs, this.#expireAfterMs)) return
    this.#sweptAt = Date.now()
    for (const id of (await this.#try(() => this.#store.list())).filter(isId)) {
      // A damaged record stays: it denies, and an operator can look at it.
      const entries = await this.#entries(id).catch(() => undefined)
      if (isOlder(entries?.asked, this.#expireAfterMs)) await this.remove(id)
    }
  }

  async #try<Value>(work: () => Promise<Value>, id = ''): Promise<Value> {
    try {
      return await work()
    } catch (error) {
      if (FencedError.isInstance(error)) throw error
      throw ledgerUnavailable(id, { reason: errorMessage(error), cause: error })
    }
  }
}

/** An id becomes a file name and must be random. It is in lower case, because some file systems ignore case. */
const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function isId(id: string): boolean {
  return idPattern.test(id)
}

function checkId(id: string): string {
  if (!isId(id)) throw wrongId(id)
  return id
}

function isStore(value: unknown): boolean {
  const { create, read, list, remove } = Object(value) as Partial<LedgerStore>
  return [create, read, list, remove].every((method) => typeof method === 'function')
}

/** A ledger as an option, also of another installed copy of this package. */
export const ledgerSchema = z.custom<DecisionLedger>(isLedger, 'must be a DecisionLedger')

function isLedger(value: unknown): boolean {
  const { ask, decide, start, finish, find } = Object(value) as Partial<DecisionLedger>
  return [ask, decide, start, finish, find].every((method) => typeof method === 'function')
}
