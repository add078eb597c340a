import type { FencedError } from '@fenced/core'
import { raceAbort } from '@fenced/core/internal'
import { answers } from './answers.ts'
import type { Poolable, SandboxPoolOptions } from './pool-options.ts'
import { WaitingLine } from './waiting-line.ts'

/** {@link SandboxPoolOptions}, with every default filled in. */
export type StockOptions<Kept extends Poolable> = Pick<SandboxPoolOptions<Kept>, 'isUsable'> & {
  readonly [Name in Exclude<keyof SandboxPoolOptions<Kept>, 'isUsable'>]-?: NonNullable<
    SandboxPoolOptions<Kept>[Name]
  >
}

/** Who wants one. */
interface TakeRequest {
  readonly user: string | undefined
  readonly signal: AbortSignal | undefined
}

/** One of a pool, from its making until it has stopped. */
export interface Member<Kept> {
  readonly kept: Kept
  /** On the clock of `performance.now`; `undefined` while it starts. */
  readyAt: number | undefined
  /** Who has it. */
  user: string | undefined
  /** At the end of its life. */
  timer: NodeJS.Timeout | undefined
  ending: Promise<void> | undefined
}

/** How long one waits before it is asked whether it still answers, in milliseconds. */
const trustedMs = 5_000

/** How long after a failure the next one is started that nobody waits for, in milliseconds: twice as long each time. */
const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** Starts them ahead, hands out each once, and stops them. */
export class Stock<Kept extends Poolable> {
  started = 0
  failed = 0
  stopped = 0
  readonly #options: StockOptions<Kept>
  readonly #line: WaitingLine<Member<Kept>>
  readonly #members = new Set<Member<Kept>>()
  readonly #starts = new Set<Promise<unknown>>()
  #ready: Member<Kept>[] = []
  #closed = new AbortController()
  #pauseMs = firstPauseMs
  #pause: NodeJS.Timeout | undefined

  constructor(options: StockOptions<Kept>) {
    this.#options = options
    this.#line = new WaitingLine(options)
  }

  get ready(): number {
    return this.#ready.length
  }

  get starting(): number {
    return this.#starts.size
  }

  get waiting(): number {
    return this.#line.length
  }

  get inUse(): number {
    return this.#members.size - this.#ready.length - this.#starts.size
  }

  /** Starts as many as are to wait. @throws what the first start that fails rejects with. */
  async fill(): Promise<void> {
    if (this.#closed.signal.aborted) this.#closed = new AbortController()
    this.#serve()
    const errors = await Promise.all(this.#starts)
    const error = errors.find((each) => each !== undefined)
    if (error !== undefined) throw error
  }

  /**
   * Returns an unused sandbox. The check of a sandbox that was ready counts as waiting.
   *
   * @throws FencedError `POOL_FULL`, `POOL_STOPPED`, what a start rejects with, and the reason of the signal.
   */
  async take({ user, signal }: TakeRequest): Promise<Member<Kept>> {
    using deadline = this.#line.deadline(user, [
      this.#closed.signal,
      ...(signal === undefined ? [] : [signal]),
    ])
    for (let isNext = false; ; isNext = true) {
      deadline.signal.throwIfAborted()
      const waiting = this.#line.join({ user, signal: deadline.signal, isNext })
      this.#serve()
      this.#line.trim(this.#starts.size)
      const member = await waiting
      if ((await raceAbort(this.#isUsable(member), deadline.signal)) === true) return member
      this.end(member).catch(() => {})
    }
  }

  /** Stops one. Where that fails it is tried again later, and counts as long. */
  end(member: Member<Kept>): Promise<void> {
    clearTimeout(member.timer)
    this.#ready = this.#ready.filter((each) => each !== member)
    member.ending ??= member.kept.stop().then(
      () => {
        if (member.readyAt !== undefined) this.stopped++
        this.#members.delete(member)
        this.#line.leave(member.user)
        this.#serve()
      },
      (error: unknown) => {
        member.ending = undefined
        this.#endAfter(member, longestPauseMs)
        throw error
      },
    )
    return member.ending
  }

  /** Stops all, also those that somebody has. Rejects with the first error when all was tried. */
  async close(reason: FencedError): Promise<void> {
    this.#closed.abort(reason)
    clearTimeout(this.#pause)
    this.#pause = undefined
    this.#line.clear(reason)
    await Promise.all(this.#starts)
    const ends = await Promise.allSettled([...this.#members].map((member) => this.end(member)))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  /** Hands out what waits, and starts what is missing. */
  #serve(): void {
    if (this.#closed.signal.aborted) return
    for (const waiter of this.#line.next(this.#ready.length)) {
      const member = this.#ready.shift() as Member<Kept>
      member.user = waiter.user
      this.#line.serve(waiter, member)
    }
    const ahead = this.#pause === undefined ? this.#options.size : 0
    const missing = this.#line.next(Number.POSITIVE_INFINITY).length + ahead - this.#ready.length
    const room = this.#options.max - this.#members.size
    for (let count = Math.min(missing - this.#starts.size, room); count > 0; count--) this.#begin()
  }

  #begin(): void {
    const start = this.#start().then(
      () => undefined,
      (error: unknown) => error,
    )
    this.#starts.add(start)
    void start.then((error) => {
      this.#starts.delete(start)
      if (error !== undefined) this.#fail(error)
      this.#serve()
    })
  }

  async #start(): Promise<void> {
    const { signal } = this.#closed
    const kept = this.#options.create()
    const member = {
      kept,
      readyAt: undefined,
      user: undefined,
      timer: undefined,
      ending: undefined,
    } as Member<Kept>
    this.#members.add(member)
    try {
      await kept.start({ signal })
      signal.throwIfAborted()
    } catch (error) {
      await this.end(member).catch(() => {})
      throw error
    }
    this.started++
    this.#pauseMs = firstPauseMs
    member.readyAt = performance.now()
    this.#endAfter(member, this.#options.maxLifetimeMs)
    this.#ready.push(member)
  }

  /** Somebody who waits hears of it; else nobody does, and it is tried again. */
  #fail(error: unknown): void {
    this.failed++
    if (this.#closed.signal.aborted) return
    const [first] = this.#line.next(1)
    if (first !== undefined) {
      this.#line.refuse(first, error)
      return
    }
    clearTimeout(this.#pause)
    const retry = () => {
      this.#pause = undefined
      this.#serve()
    }
    this.#pause = setTimeout(retry, this.#pauseMs).unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
  }

  #endAfter(member: Member<Kept>, timeMs: number): void {
    if (timeMs === Number.POSITIVE_INFINITY) return
    member.timer = setTimeout(() => this.end(member).catch(() => {}), timeMs).unref()
  }

  async #isUsable({ kept, readyAt = 0 }: Member<Kept>): Promise<boolean> {
    if (performance.now() - readyAt < trustedMs) return true
    const { isUsable = answers } = this.#options
    try {
      return await isUsable(kept)
    } catch {
      return false
    }
  }
}
