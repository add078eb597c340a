import type { FencedError } from '@fenced/core'
import { anySignal, onAbort } from '@fenced/shared'
import type { ExpectedSandboxes } from './expected-sandboxes.ts'

/** A caller that waits. */
export interface Waiter<Value, Wish> {
  readonly user: string | undefined
  /** What it needs in particular. */
  readonly wish: Wish
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/** What {@link WaitQueue.join} needs to know. */
interface JoinRequest<Wish> {
  readonly user?: string | undefined
  readonly wish: Wish
  readonly signal: AbortSignal
  /** Whether it was served before, with something that turned out to be unusable. */
  readonly isNext?: boolean
}

/** Why a caller waits no longer: its time is over, or too many wait. */
type RefusalReason = 'late' | 'crowded'

/** Options for {@link WaitQueue}. */
export interface WaitQueueOptions {
  /** @default no limit */
  readonly maxPerUser?: number
  readonly maxWaiting: number
  readonly waitTimeoutMs: number
  /** @param isAtLimit - whether the caller waits because its user has as many as is allowed. */
  readonly refusal: (reason: RefusalReason, isAtLimit: boolean) => FencedError
}

const none: ReadonlyMap<string | undefined, number> = new Map()

/**
 * Callers that wait. Users take turns: after each that is served, the next user is. Callers without a user count as one, and each
 * user's callers are served in the order in which they came. Callers of users at their limit are skipped.
 */
export class WaitQueue<Value, Wish> {
  readonly #options: WaitQueueOptions
  /** The callers of each user, in the order of the users' turns. */
  readonly #lines = new Map<string | undefined, Waiter<Value, Wish>[]>()
  /** How many each user has. */
  readonly #held = new Map<string, number>()

  constructor(options: WaitQueueOptions) {
    this.#options = options
  }

  get length(): number {
    return [...this.#lines.values()].flat().length
  }

  /** Aborts after `waitTimeoutMs` with `POOL_FULL`, or with the first of `signals`. Disposing of it ends its timer. */
  deadline(
    user: string | undefined,
    signals: readonly AbortSignal[],
  ): Disposable & { readonly signal: AbortSignal } {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(this.#refusal('late', user)), this.#options.waitTimeoutMs)
    const signal = anySignal([late.signal, ...signals])
    return { signal, [Symbol.dispose]: () => clearTimeout(timer) }
  }

  /** Waits for its turn. @throws the reason of the signal, and what {@link refuse} was called with. */
  async join({ user, wish, signal, isNext = false }: JoinRequest<Wish>): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const waiter = { user, wish, resolve, reject }
    const line = this.#lines.get(user) ?? []
    if (isNext) {
      const others = [...this.#lines].filter(([other]) => other !== user)
      this.#lines.clear()
      this.#lines.set(user, [waiter, ...line])
      for (const [other, waiters] of others) this.#lines.set(other, waiters)
    } else this.#lines.set(user, [...line, waiter])
    using _ = onAbort(signal, () => this.refuse(waiter, signal.reason))
    return await promise
  }

  /**
   * Returns the next callers in order, for the given number of sandboxes.
   *
   * @param leaving - how many sandboxes of each user do not count, because they are being stopped.
   */
  next(count: number, leaving = none): Waiter<Value, Wish>[] {
    const chosen: Waiter<Value, Wish>[] = []
    let lines = [...this.#lines].map(([user, waiters]) => waiters.slice(0, this.#allowance(user, leaving)))
    for (let turn = 0; chosen.length < count && lines.length > 0; turn++) {
      lines = lines.filter(({ length }) => length > turn)
      for (const line of lines) chosen.push(line[turn] as Waiter<Value, Wish>)
    }
    return chosen.slice(0, count)
  }

  /** How many callers of each user wait only because the user has as many as is allowed. */
  overAllowance(leaving: ExpectedSandboxes['leaving']): ReadonlyMap<string | undefined, number> {
    const counts = new Map<string | undefined, number>()
    for (const [user, { length }] of this.#lines) {
      const count = length - this.#allowance(user, leaving)
      if (count > 0) counts.set(user, count)
    }
    return counts
  }

  serve(waiter: Waiter<Value, Wish>, value: Value): void {
    const { user } = waiter
    if (user !== undefined) this.#held.set(user, (this.#held.get(user) ?? 0) + 1)
    this.#remove(waiter)
    const left = this.#lines.get(user)
    if (left !== undefined) {
      this.#lines.delete(user)
      this.#lines.set(user, left)
    }
    waiter.resolve(value)
  }

  refuse(waiter: Waiter<Value, Wish>, error: unknown): void {
    this.#remove(waiter)
    waiter.reject(error)
  }

  /** Called when a sandbox of a user has stopped. */
  leave(user: string | undefined): void {
    if (user === undefined) return
    const left = (this.#held.get(user) ?? 1) - 1
    if (left > 0) this.#held.set(user, left)
    else this.#held.delete(user)
  }

  /**
   * Refuses callers beyond the bound, of the user of whom most wait.
   *
   * @param user - of the newest caller, which is refused where no other user has more.
   * @param soon - callers that do not count, because they will be served soon.
   */
  trim(user: string | undefined, soon: ReadonlySet<Waiter<Value, Wish>>): void {
    const isLate = (waiter: Waiter<Value, Wish>) => !soon.has(waiter)
    const lines = new Map([...this.#lines].map(([name, waiters]) => [name, waiters.filter(isLate)]))
    const excess = [...lines.values()].flat().length - this.#options.maxWaiting
    for (let count = 0; count < excess; count++) {
      const own = lines.get(user) ?? []
      const longest = [...lines.values()].reduce(
        (most, each) => (each.length > most.length ? each : most),
        own,
      )
      const last = longest.pop() as Waiter<Value, Wish>
      this.refuse(last, this.#refusal('crowded', last.user))
    }
  }

  clear(error: FencedError): void {
    for (const waiter of [...this.#lines.values()].flat()) this.refuse(waiter, error)
  }

  #allowance(user: string | undefined, leaving: ExpectedSandboxes['leaving']): number {
    if (user === undefined) return Number.POSITIVE_INFINITY
    const held = (this.#held.get(user) ?? 0) - (leaving.get(user) ?? 0)
    return Math.max(0, (this.#options.maxPerUser ?? Number.POSITIVE_INFINITY) - held)
  }

  #remove(waiter: Waiter<Value, Wish>): void {
    const left = (this.#lines.get(waiter.user) ?? []).filter((each) => each !== waiter)
    if (left.length > 0) this.#lines.set(waiter.user, left)
    else this.#lines.delete(waiter.user)
  }

  #refusal(reason: RefusalReason, user: string | undefined): FencedError {
    return this.#options.refusal(reason, this.#allowance(user, none) === 0)
  }
}
