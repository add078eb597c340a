import { FencedError } from '@fenced/core'
import { type RefusalReason, type Waiter, WaitQueue } from '@fenced/sandbox/internal'
import type { EnginePoolSettings } from './engine-pool-options.ts'
import type { Placement } from './placement.ts'

/** Looks for an engine; `undefined` when no engine has room for the start now. */
type Choose = () => Promise<Placement | undefined>

type PlacementWaiter = Waiter<Placement, Choose>

interface QueueParts extends Pick<EnginePoolSettings, 'maxWaiting' | 'waitTimeoutMs'> {
  /** How many can be served now, if only with the error that nothing can. */
  room(): number
  /** What the engines are like, for messages. */
  describe(): string
}

/** Starts that wait for an engine, in the order in which they came. Starts that the free engines do not suit are skipped. */
export class PlacementQueue {
  readonly #parts: QueueParts
  readonly #line: WaitQueue<Placement, Choose>
  /** Starts for which an engine is being looked for. */
  readonly #trying = new Set<PlacementWaiter>()
  /** The number of changes at which a start tried in vain. */
  readonly #triedAt = new WeakMap<PlacementWaiter, number>()
  #changes = 0

  constructor(parts: QueueParts) {
    this.#parts = parts
    const { maxWaiting, waitTimeoutMs } = parts
    this.#line = new WaitQueue({ maxWaiting, waitTimeoutMs, refusal: (reason) => this.#full(reason) })
  }

  get length(): number {
    return this.#waiters.filter((each) => !this.#trying.has(each)).length
  }

  /** @throws FencedError `POOL_FULL`, what `choose` rejects with, and the reason of the signal. */
  async join(choose: Choose, signal: AbortSignal): Promise<Placement> {
    using deadline = this.#line.deadline(undefined, [signal])
    signal.throwIfAborted()
    const placement = this.#line.join({ wish: choose, signal: deadline.signal })
    this.#serve()
    this.#line.trim(undefined, this.#trying)
    return await placement
  }

  /** Called when an engine has room again, came back or was lost. */
  onChange(): void {
    this.#changes++
    this.#serve()
  }

  clear(error: FencedError): void {
    this.#line.clear(error)
  }

  get #waiters(): PlacementWaiter[] {
    return this.#line.next(Number.POSITIVE_INFINITY)
  }

  #serve(): void {
    const ready = this.#waiters.filter(
      (each) => this.#trying.has(each) || (this.#triedAt.get(each) ?? -1) < this.#changes,
    )
    for (const waiter of ready.slice(0, this.#parts.room())) {
      if (!this.#trying.has(waiter)) void this.#attempt(waiter)
    }
  }

  async #attempt(waiter: PlacementWaiter): Promise<void> {
    this.#trying.add(waiter)
    this.#triedAt.set(waiter, this.#changes)
    try {
      const placement = await waiter.wish()
      if (placement === undefined) return
      if (this.#line.has(waiter)) this.#line.serve(waiter, placement)
      else placement.release()
    } catch (error) {
      this.#line.refuse(waiter, error)
    } finally {
      this.#trying.delete(waiter)
      this.#serve()
      this.#line.trim(undefined, this.#trying)
    }
  }

  #full(reason: RefusalReason): FencedError {
    const { maxWaiting, waitTimeoutMs } = this.#parts
    const [why, data] =
      reason === 'late'
        ? [
            `none had any within ${waitTimeoutMs} ms`,
            { option: 'waitTimeoutMs', limitMs: `${waitTimeoutMs}` },
          ]
        : [`${maxWaiting} starts wait already`, { option: 'maxWaiting', limit: `${maxWaiting}` }]
    const message = `No engine in the pool has room for another sandbox: ${why}. The engines: ${this.#parts.describe()}. Stop executors, wait longer (\`waitTimeoutMs\`), or raise \`capacity\`.`
    return new FencedError({ code: 'POOL_FULL', message, data })
  }
}
