import type { ApprovalTarget } from './approval-request.ts'

/**
 * The state of a decision. `started` means that this or another process runs it now; `unknown` means that it was started, and may have
 * run in part or whole, because its process or sandbox ended first. `expired` decisions were too old to be answered or to run,
 * or got no answer within `askTimeoutMs`.
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

/** The origin of a decision: a person, a rule (a function that answers), or an earlier answer with `remember`. */
export type DecidedBy = 'person' | 'rule' | 'remembered'

/** A step of a decision. Each is written once, and its entry is one of several states. */
export type LedgerStep = 'asked' | 'decided' | 'started' | 'ended'

/** Entry of a question. */
export interface AskedEntry {
  readonly state: 'asked'
  /** In milliseconds since 1970. */
  readonly at: number
  /** Kind of the question: `code`, `tool`, ... */
  readonly kind: string
  /** Digest of the action. */
  readonly digest: string
  /** The target of the action. */
  readonly target?: ApprovalTarget
  /** Id of the earlier decision about the same action. */
  readonly after?: string
}

/** Entry of an answer. */
export interface DecidedEntry {
  readonly state: 'allowed' | 'denied' | 'withdrawn' | 'expired'
  /** In milliseconds since 1970. */
  readonly at: number
  /** Absent where the question ended without an answer. */
  readonly by?: DecidedBy
  /** Digest of the action that was allowed: an edited program has its own. */
  readonly digest?: string
}

/** Entry of a start. */
export interface StartedEntry {
  readonly state: 'started'
  /** In milliseconds since 1970. */
  readonly at: number
  /** The process that runs it. */
  readonly owner: string
}

/** Entry of an end. */
export interface EndedEntry {
  readonly state: 'finished' | 'unknown'
  /** In milliseconds since 1970. */
  readonly at: number
}

/** All that a store keeps of one decision, by step. Plain data without code, output or typed text. */
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
 * Keeps the entries of a {@link DecisionLedger}. A rejection of any method denies (`LEDGER_UNAVAILABLE`).
 *
 * A store on a database needs a unique key of id and step; `create` is its `INSERT`.
 */
export interface LedgerStore {
  /**
   * Writes the entry of one step, and resolves once it is durable. Resolves with `false`, and changes nothing, where the step has an
   * entry already: of two calls at the same time, also in two processes, one at most resolves with `true`.
   */
  create<Step extends LedgerStep>(
    key: { readonly id: string; readonly step: Step },
    entry: NonNullable<LedgerEntries[Step]>,
  ): Promise<boolean>
  /** Resolves with the entries of a decision: none for an unknown id. They are checked by the ledger. */
  read(id: string): Promise<Readonly<Partial<Record<LedgerStep, unknown>>>>
  /** Resolves with the ids of all decisions. */
  list(): Promise<readonly string[]>
  /** Removes all entries of a decision. */
  remove(id: string): Promise<void>
}

/** The number of completed decisions that stay in memory. */
const mostClosed = 10_000

/** Keeps decisions in this process, and of those that are closed the last 10,000. */
export class MemoryLedgerStore implements LedgerStore {
  readonly #decisions = new Map<string, Partial<Record<LedgerStep, object>>>()
  readonly #closed = new Set<string>()

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
    if (this.#closed.size <= mostClosed || oldest === undefined) return
    this.#closed.delete(oldest)
    this.#decisions.delete(oldest)
  }
}

const openStates: ReadonlySet<DecisionState> = new Set(['asked', 'allowed', 'started'])
