import type { FencedError } from '@fenced/core'
import { anySignal } from '@fenced/shared'
import { type ExpectedSandboxes, expectedSandboxes } from './expected-sandboxes.ts'
import { idleOf, Member } from './member.ts'
import { poolFull } from './pool-errors.ts'
import type { IdleSetOptions, Poolable } from './pool-options.ts'
import { StartPause } from './start-pause.ts'
import { type Waiter, WaitQueue } from './wait-queue.ts'
import { WorkPlace } from './work-place.ts'

/** A caller that wants one. */
interface TakeRequest {
  readonly user: string | undefined
  readonly signal: AbortSignal
  /** The working directory that it must have. Default: its own. */
  readonly place?: WorkPlace | undefined
}

type PoolWaiter<Kept extends Poolable> = Waiter<Member<Kept>, WorkPlace | undefined>

/** How long after a failed stop it is repeated, in milliseconds. */
const repeatStopMs = 60_000

/** How long callers count on the place of a sandbox that is being stopped, in milliseconds. */
const longestStopMs = 5_000

/** Starts sandboxes ahead, hands out each once, and stops them. */
export class IdleSet<Kept extends Poolable> {
  started = 0
  failed = 0
  stopped = 0
  readonly #options: IdleSetOptions<Kept>
  readonly #line: WaitQueue<Member<Kept>, WorkPlace | undefined>
  readonly #members = new Set<Member<Kept>>()
  readonly #starts = new Set<Promise<unknown>>()
  readonly #pause = new StartPause()
  #ready: Member<Kept>[] = []
  #closed = new AbortController()

  constructor(options: IdleSetOptions<Kept>) {
    this.#options = options
    this.#line = new WaitQueue({ ...options, refusal: poolFull(options) })
  }

  get counts() {
    const [ready, starting] = [this.#ready.length, this.#starts.size]
    return { ready, starting, inUse: this.#members.size - ready - starting, waiting: this.#line.length }
  }

  /** Starts as many as are to be ready. @throws what the first start that fails rejects with. */
  async fill(): Promise<void> {
    if (this.#closed.signal.aborted) this.#closed = new AbortController()
    this.serve()
    const errors = await Promise.all(this.#starts)
    const error = errors.find((each) => each !== undefined)
    if (error !== undefined) throw error
  }

  /** Aborts after `waitTimeoutMs`, with the signal of the caller, and when the set is closed. */
  deadline(user: string | undefined, signal: AbortSignal | undefined) {
    return this.#line.deadline(user, [this.#closed.signal, ...(signal === undefined ? [] : [signal])])
  }

  /**
   * Returns an unused sandbox.
   *
   * @throws FencedError `POOL_FULL`, `POOL_STOPPED`, what a start rejects with, and the reason of the signal.
   */
  async take({ user, signal, place }: TakeRequest): Promise<Member<Kept>> {
    const either = anySignal([this.#closed.signal, signal])
    for (let isNext = false; ; isNext = true) {
      either.throwIfAborted()
      const waiting = this.#line.join({ user, wish: place, signal: either, isNext })
      this.serve()
      const { count, leaving } = this.#coming
      this.#line.trim(user, new Set(this.#line.next(count, leaving)))
      const member = await waiting
      if (place !== undefined) await this.#start(member, either)
      if (await this.isUsable(member, either)) return member
      this.end(member).catch(() => {})
    }
  }

  /** Whether a member that was idle still works. `false` when the signal is aborted during the check. */
  isUsable(member: Member<Kept>, signal: AbortSignal): Promise<boolean> {
    return member.works(signal, this.#options.isUsable)
  }

  /** Stops one. Where that fails it is tried again later, and counts as long. */
  end(member: Member<Kept>): Promise<void> {
    clearTimeout(member.timer)
    member.isOver = true
    member.idle = undefined
    this.#ready = this.#ready.filter((each) => each !== member)
    member.ending ??= this.#stop(member)
    return member.ending
  }

  /** Stops all, also those that a caller has. Rejects with the first error when all was tried. */
  async close(reason: FencedError): Promise<void> {
    this.#closed.abort(reason)
    this.#pause.cancel()
    this.#line.clear(reason)
    await Promise.all(this.#starts)
    const ends = await Promise.allSettled([...this.#members].map((member) => this.end(member)))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  /** Hands out those that are ready, starts what is missing, and makes room. To be called when a keyed sandbox becomes idle. */
  serve(): void {
    if (this.#closed.signal.aborted) return
    let coming = this.#starts.size
    for (const waiter of this.#line.next(Number.POSITIVE_INFINITY)) {
      const member = waiter.wish === undefined ? this.#ready.shift() : undefined
      if (member !== undefined) this.#give(waiter, member)
      else if (waiter.wish === undefined && coming > 0) coming--
      else if (this.#members.size >= this.#options.max) continue
      else if (waiter.wish === undefined) this.#begin()
      else this.#makeFor(waiter, waiter.wish)
    }
    const ahead = this.#pause.isOn ? 0 : this.#options.size
    const missing = ahead - this.#ready.length - coming
    const room = this.#options.max - this.#members.size
    for (let count = Math.min(missing, room); count > 0; count--) this.#begin()
    this.#makeRoom()
  }

  /** Stops the sandboxes that were idle longest, as many as callers wait for. */
  #makeRoom(): void {
    for (const [user, count] of this.#line.overAllowance(this.#coming.leaving)) {
      const idle = idleOf(this.#members).filter((member) => member.user === user)
      this.#evict(idle.slice(0, count))
    }
    const { count, leaving } = this.#coming
    const wanted = this.#line.next(Number.POSITIVE_INFINITY, leaving).length - count
    // The remaining ready members have other working directories than the callers need.
    if (wanted > 0) this.#evict([...this.#ready, ...idleOf(this.#members)].slice(0, wanted))
  }

  #evict(members: readonly Member<Kept>[]): void {
    for (const member of members) {
      const stop = member.idle?.stop ?? (() => this.end(member))
      member.isOver = true
      stop().catch(() => {})
    }
  }

  get #coming(): ExpectedSandboxes {
    return expectedSandboxes(this.#members, this.#starts.size)
  }

  #give(waiter: PoolWaiter<Kept>, member: Member<Kept>): void {
    member.user = waiter.user
    this.#line.serve(waiter, member)
  }

  /** Makes one for a caller, which starts it. */
  #makeFor(waiter: PoolWaiter<Kept>, place: WorkPlace): void {
    try {
      this.#give(waiter, this.#make(place))
    } catch (error) {
      this.#line.refuse(waiter, error)
    }
  }

  #make(place: WorkPlace): Member<Kept> {
    try {
      const member = new Member(this.#options.create, place)
      this.#members.add(member)
      return member
    } catch (error) {
      this.failed++
      throw error
    }
  }

  /** Starts a member for the next caller. */
  #begin(): void {
    const begun = async () => {
      const member = this.#make(new WorkPlace())
      await this.#start(member, this.#closed.signal)
      this.#ready.push(member)
    }
    const start = begun().catch((error: unknown) => error)
    this.#starts.add(start)
    void start.then((error) => {
      this.#starts.delete(start)
      if (error !== undefined) this.#retry(error)
      this.serve()
    })
  }

  async #start(member: Member<Kept>, signal: AbortSignal): Promise<void> {
    try {
      await member.start(signal)
    } catch (error) {
      this.failed++
      await this.end(member).catch(() => {})
      throw error
    }
    this.started++
    this.#pause.reset()
    this.#endAfter(member, this.#options.maxLifetimeMs)
  }

  async #stop(member: Member<Kept>): Promise<void> {
    const timer = setTimeout(() => this.#releaseSlot(member), longestStopMs).unref()
    try {
      await member.stop()
      if (member.hasStarted) this.stopped++
      this.#members.delete(member)
      this.#line.leave(member.user)
    } catch (error) {
      member.isStuck = true
      member.ending = undefined
      this.#endAfter(member, repeatStopMs)
      throw error
    } finally {
      clearTimeout(timer)
      this.serve()
    }
  }

  #releaseSlot(member: Member<Kept>): void {
    member.isStuck = true
    this.serve()
  }

  /** A caller that waits gets the error. Otherwise the start is tried again later. */
  #retry(error: unknown): void {
    if (this.#closed.signal.aborted) return
    const first = this.#line.next(Number.POSITIVE_INFINITY).find(({ wish }) => wish === undefined)
    if (first === undefined) this.#pause.begin(() => this.serve())
    else this.#line.refuse(first, error)
  }

  #endAfter(member: Member<Kept>, timeMs: number): void {
    if (timeMs === Number.POSITIVE_INFINITY) return
    member.timer = setTimeout(() => this.end(member).catch(() => {}), timeMs).unref()
  }
}
