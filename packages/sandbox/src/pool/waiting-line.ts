import { FencedError } from '@fenced/core'
import { anySignal, onAbort } from '@fenced/core/internal'

/** Somebody who waits. */
export interface Waiter<Value> {
  readonly user: string | undefined
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/** What {@link WaitingLine.join} needs to know. */
interface JoinRequest {
  readonly user: string | undefined
  readonly signal: AbortSignal
  /** Whether it was served before, with what turned out to be unusable. */
  readonly isNext: boolean
}

interface LineOptions {
  readonly max: number
  readonly maxPerUser: number
  readonly maxWaiting: number
  readonly waitTimeoutMs: number
}

/** Who waits for one, in order; a user who has as many as is allowed lets others pass. */
export class WaitingLine<Value> {
  readonly #options: LineOptions
  #waiters: Waiter<Value>[] = []
  /** How many each user has. */
  readonly #held = new Map<string, number>()

  constructor(options: LineOptions) {
    this.#options = options
  }

  get length(): number {
    return this.#waiters.length
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
  async join({ user, signal, isNext }: JoinRequest): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const waiter = { user, resolve, reject }
    if (isNext) this.#waiters.unshift(waiter)
    else this.#waiters.push(waiter)
    using _ = onAbort(signal, () => this.refuse(waiter, signal.reason))
    return await promise
  }

  /** Those whose turn it is, if so many are there. */
  next(count: number): Waiter<Value>[] {
    const held = new Map(this.#held)
    const chosen: Waiter<Value>[] = []
    for (const waiter of this.#waiters) {
      if (chosen.length >= count) break
      const { user } = waiter
      if (user !== undefined) {
        const has = held.get(user) ?? 0
        if (has >= this.#options.maxPerUser) continue
        held.set(user, has + 1)
      }
      chosen.push(waiter)
    }
    return chosen
  }

  serve(waiter: Waiter<Value>, value: Value): void {
    const { user } = waiter
    if (user !== undefined) this.#held.set(user, (this.#held.get(user) ?? 0) + 1)
    this.#remove(waiter)
    waiter.resolve(value)
  }

  refuse(waiter: Waiter<Value>, error: unknown): void {
    this.#remove(waiter)
    waiter.reject(error)
  }

  /** Called when one of a user has stopped. */
  leave(user: string | undefined): void {
    if (user === undefined) return
    const left = (this.#held.get(user) ?? 1) - 1
    if (left > 0) this.#held.set(user, left)
    else this.#held.delete(user)
  }

  /**
   * Refuses those who wait beyond the bound.
   *
   * @param coming - how many are being started. Callers whom these serve do not count, unless a user has as many as allowed.
   */
  trim(coming: number): void {
    const { maxWaiting } = this.#options
    const soon = new Set(this.next(coming))
    for (const waiter of this.#waiters.filter((each) => !soon.has(each)).slice(maxWaiting))
      this.refuse(
        waiter,
        this.#full(waiter.user, `${maxWaiting} callers wait already`, { waiting: `${maxWaiting}` }),
      )
  }

  clear(error: FencedError): void {
    for (const waiter of [...this.#waiters]) this.refuse(waiter, error)
  }

  #remove(waiter: Waiter<Value>): void {
    this.#waiters = this.#waiters.filter((each) => each !== waiter)
  }

  #full(user: string | undefined, why: string, data: Readonly<Record<string, string>>): FencedError {
    const { max, maxPerUser } = this.#options
    const isUsers = user !== undefined && (this.#held.get(user) ?? 0) >= maxPerUser
    const [option, limit] = isUsers ? ['maxPerUser', maxPerUser] : ['max', max]
    const message = `The pool has no sandbox to hand out: ${why}. Give sandboxes back by release(), wait longer (\`waitTimeoutMs\`), or raise \`${option}\` (${limit}).`
    return new FencedError({ code: 'POOL_FULL', message, data: { option, limit: `${limit}`, ...data } })
  }
}
