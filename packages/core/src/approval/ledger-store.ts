import type { ApprovalTarget } from './approval-request.ts'

/**
 * State of a decision. `started` means that this or another process is running the action now. `unknown` means that the action
 * was started and may have run in part or in full, because its process or sandbox died first. An `expired` decision was too old
 * to be answered or run, or got no answer within `askTimeoutMs`.
 */
export type DecisionState =
  | 'asked'
  | 'allowed'
  | 'denied'
  | 'withdrawn'
  | 'expired'
  | 'started'
  | 'finished'
  | 'unknown'

/** Origin of a decision: a person, a rule (a function that answers), or an earlier answer with `remember`. */
export type DecidedBy = 'person' | 'rule' | 'remembered'

/** A step in a decision. Each step is written once, and its entry is one of several states. */
export type LedgerStep = 'asked' | 'decided' | 'started' | 'ended'

/** Ledger entry for a question. */
interface AskedEntry {
  readonly state: 'asked'
  /** Time, in milliseconds since 1970. */
  readonly at: number
  /** Kind of the question: `code`, `tool`, ... */
  readonly kind: string
  /** Digest of the action. */
  readonly digest: string
  /** Target of the action. */
  readonly target?: ApprovalTarget
  /** ID of an earlier decision about the same action. */
  readonly after?: string
}

/** Ledger entry for an answer. */
export interface DecidedEntry {
  readonly state: 'allowed' | 'denied' | 'withdrawn' | 'expired'
  /** Time, in milliseconds since 1970. */
  readonly at: number
  /** Origin of the decision. Absent if the question was closed without an answer. */
  readonly by?: DecidedBy
  /** Digest of the allowed action. An edited program has its own digest. */
  readonly digest?: string
}

/** Ledger entry for a start. */
interface StartedEntry {
  readonly state: 'started'
  /** Time, in milliseconds since 1970. */
  readonly at: number
  /** Process that runs the action. */
  readonly owner: string
}

/** Ledger entry for an end. */
interface EndedEntry {
  readonly state: 'finished' | 'unknown'
  /** Time, in milliseconds since 1970. */
  readonly at: number
}

/** All stored entries for one decision, by step. Plain data without code, output or typed text. */
export interface LedgerEntries {
  /** The question. */
  readonly asked?: AskedEntry
  /** The answer. */
  readonly decided?: DecidedEntry
  /** The start of the run. */
  readonly started?: StartedEntry
  /** The end of the run. */
  readonly ended?: EndedEntry
}

/**
 * Stores the entries of a {@link DecisionLedger}. If any method rejects, the action is denied (`LEDGER_UNAVAILABLE`).
 *
 * A store backed by a database needs a unique key on ID and step; `create` corresponds to an `INSERT`.
 */
export interface LedgerStore {
  /** Whether other processes can reach the entries. @default true */
  readonly isShared?: boolean | undefined
  /**
   * Writes the entry for one step and resolves once it is durable. If the step already has an entry, resolves with `false` and
   * changes nothing. Of two concurrent calls, even in different processes, at most one resolves with `true`.
   */
  create<Step extends LedgerStep>(
    key: { readonly id: string; readonly step: Step },
    entry: NonNullable<LedgerEntries[Step]>,
  ): Promise<boolean>
  /** Resolves with the entries of a decision, or with none for an unknown ID. The ledger validates them. */
  read(id: string): Promise<Readonly<Partial<Record<LedgerStep, unknown>>>>
  /** Resolves with the IDs of all decisions. */
  list(): Promise<readonly string[]>
  /** Removes all entries of a decision. */
  remove(id: string): Promise<void>
}

/**
 * Keeps decisions in this process, and of those that are closed the last ones. A ledger that must know every request it has seen, because
 * it takes a request that it does not know for a new one, needs all of them: it is bounded by its `expireAfterMs`.
 */
export class MemoryLedgerStore implements LedgerStore {
  readonly isShared = false
  readonly #decisions = new Map<string, Partial<Record<LedgerStep, object>>>()
  readonly #closed = new Set<string>()
  readonly #mostClosed: number

  constructor(mostClosed = 10_000) {
    this.#mostClosed = mostClosed
  }

  async create(
    { id, step }: { readonly id: string; readonly step: LedgerStep },
    entry: { readonly state: DecisionState },
  ): Promise<boolean> {
    const entries = this.#decisions.get(id) ?? {}
    if (entries[step] !== undefined) return false
    this.#decisions.set(id, { ...entries, [step]: structuredClone(entry) })
    if (!openStates.has(entry.state)) this.#close(id)
    return true
  }

  async read(id: string): Promise<Partial<Record<LedgerStep, object>>> {
    return structuredClone(this.#decisions.get(id) ?? {})
  }

  async list(): Promise<string[]> {
    return [...this.#decisions.keys()]
  }

  async remove(id: string): Promise<void> {
    this.#decisions.delete(id)
    this.#closed.delete(id)
  }

  #close(id: string): void {
    this.#closed.add(id)
    const [oldest] = this.#closed
    if (this.#closed.size <= this.#mostClosed || oldest === undefined) return
    this.#closed.delete(oldest)
    this.#decisions.delete(oldest)
  }
}

const openStates: ReadonlySet<DecisionState> = new Set(['asked', 'allowed', 'started'])
