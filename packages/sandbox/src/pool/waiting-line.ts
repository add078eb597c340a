import { FencedError } from '@fenced/core'
import { anySignal, onAbort } from '@fenced/core/internal'
import type { Coming } from './coming.ts'
import type { WorkPlace } from './work-place.ts'

/** A caller that waits. */
export interface Waiter<Value> {
  readonly user: string | undefined
  /** The working directory of its session, which a new sandbox must have. */
  readonly place: WorkPlace | undefined
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/** What {@link WaitingLine.join} needs to know. */
interface JoinRequest {
  readonly user: string | undefined
  readonly place: WorkPlace | undefined
  readonly signal: AbortSignal
  /** Whether it was served before, with a sandbox that turned out to be unusable. */
  readonly isNext: boolean
}

interface LineOptions {
  readonly max: number
  readonly maxPerUser: number
  readonly maxWaiting: number
  readonly waitTimeoutMs: number
}

const none: ReadonlyMap<string | undefined, number> = new Map()

/**
 * Callers that wait. Users take turns: after each that is served, the next user is. Callers without a user count as one, and each
 * user's callers are served in the order in which they came. A user who has as many as is allowed lets others pass.
 */
export class WaitingLine<Value> {
  readonly #options: LineOptions
  /** The callers of each user, in the order of the users' turns. */
  readonly #lines = new Map<string | undefined, Waiter<Value>[]>()
  /** How many each user has. */
  readonly #held = new Map<string, number>()

  constructor(options: LineOptions) {
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
    const { waitTimeoutMs } = this.#options
    const end = () =>
      late.abort(
        this.#full(user, `none was free within ${waitTimeoutMs} ms`, { limitMs: `${waitTimeoutMs}` }),
      )
    const timer = setTimeout(end, waitTimeoutMs)
    const signal = anySignal([late.signal, ...signals])
    return { signal, [Symbol.dispose]: () => clearTimeout(timer) }
  }

  /** Waits for its turn. @throws the reason of the signal, and what {@link refuse} was called with. */
  async join({ user, place, signal, isNext }: JoinRequest): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const waiter = { user, place, resolve, reject }
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
   * Callers whose turn it is, in order, if so many sandboxes are there.
   *
   * @param leaving - how many sandboxes of each user do not count, because they are being stopped.
   */
  next(count: number, leaving = none): Waiter<Value>[] {
    const chosen: Waiter<Value>[] = []
    let lines = [...this.#lines].map(([user, waiters]) => waiters.slice(0, this.#allowance(user, leaving)))
    for (let turn = 0; chosen.length < count && lines.length > 0; turn++) {
      lines = lines.filter(({ length }) => length > turn)
      for (const line of lines) chosen.push(line[turn] as Waiter<Value>)
    }
    return chosen.slice(0, count)
  }

  /** How many callers of each user wait only because the user has as many as is allowed. */
  overAllowance(leaving: Coming['leaving']): ReadonlyMap<string | undefined, number> {
    const counts = new Map<string | undefined, number>()
    for (const [user, { length }] of this.#lines) {
      const count = length - this.#allowance(user, leaving)
      if (count > 0) counts.set(user, count)
    }
    return counts
  }

  serve(waiter: Waiter<Value>, value: Value): void {
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

  refuse(waiter: Waiter<Value>, error: unknown): void {
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
   * @param coming - callers that these serve do not count.
   */
  trim(user: string | undefined, { count, leaving }: Coming): void {
    const { maxWaiting } = this.#options
    const soon = new Set(this.next(count, leaving))
    const isLate = (waiter: Waiter<Value>) => !soon.has(waiter)
    const lines = new Map([...this.#lines].map(([name, waiters]) => [name, waiters.filter(isLate)]))
    for (let excess = [...lines.values()].flat().length - maxWaiting; excess > 0; excess--) {
      const own = lines.get(user) ?? []
      const longest = [...lines.values()].reduce(
        (most, each) => (each.length > most.length ? each : most),
        own,
      )
      const last = longest.pop() as Waiter<Value>
      const why = `${maxWaiting} callers wait already`
      this.refuse(last, this.#full(last.user, why, { waiting: `${maxWaiting}` }))
    }
  }

  clear(error: FencedError): void {
    for (const waiter of [...this.#lines.values()].flat()) this.refuse(waiter, error)
  }

  #allowance(user: string | undefined, leaving: Coming['leaving']): number {
    if (user === undefined) return Number.POSITIVE_INFINITY
    const held = (this.#held.get(user) ?? 0) - (leaving.get(user) ?? 0)
    return Math.max(0, this.#options.maxPerUser - held)
  }

  #remove(waiter: Waiter<Value>): void {
    const left = (this.#lines.get(waiter.user) ?? []).filter((each) => each !== waiter)
    if (left.length > 0) this.#lines.set(waiter.user, left)
    else this.#lines.delete(waiter.user)
  }

  #full(user: string | undefined, why: string, data: Readonly<Record<string, string>>): FencedError {
    const { max, maxPerUser } = this.#options
    const isUsers = user !== undefined && (this.#held.get(user) ?? 0) >= maxPerUser
    const [option, limit] = isUsers ? ['maxPerUser', maxPerUser] : ['max', max]
    const message = `The pool has no sandbox to hand out: ${why}. Release leases with release(), wait longer (\`waitTimeoutMs\`), or raise \`${option}\` (${limit}).`
    return new FencedError({ code: 'POOL_FULL', message, data: { option, limit: `${limit}`, ...data } })
  }
}
