import { FencedError } from '@fenced/core'
import type { EnginePoolSettings } from './engine-pool-options.ts'
import type { Placement } from './placement.ts'

/** A start that wants an engine. */
interface Waiter {
  /** Looks for one; `undefined` when there is none with room for it now. */
  readonly choose: () => Promise<Placement | undefined>
  readonly resolve: (placement: Placement) => void
  readonly reject: (error: unknown) => void
  isTrying: boolean
  /** The number of changes at which it tried in vain. */
  triedAt: number | undefined
}

interface QueueParts extends Pick<EnginePoolSettings, 'maxWaiting' | 'waitTimeoutMs'> {
  /** How many can be served now, if only with the error that nothing can. */
  room(): number
  /** What the engines are like, for messages. */
  describe(): string
}

/** Starts that wait for an engine, in the order in which they came; one that the free engines do not suit lets others pass. */
export class PlacementQueue {
  readonly #parts: QueueParts
  #waiters: Waiter[] = []
  #changes = 0

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  get length(): number {
    return this.#waiters.filter(({ isTrying }) => !isTrying).length
  }

  /** @throws FencedError `POOL_FULL`, what `choose` rejects with, and the reason of the signal. */
  async join(choose: Waiter['choose'], signal: AbortSignal): Promise<Placement> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Placement>()
    const waiter: Waiter = { choose, resolve, reject, isTrying: false, triedAt: undefined }
    this.#waiters.push(waiter)
    const { waitTimeoutMs } = this.#parts
    const late = () =>
      this.#refuse(
        waiter,
        this.#full(`none had any within ${waitTimeoutMs} ms`, {
          option: 'waitTimeoutMs',
          limitMs: String(waitTimeoutMs),
        }),
      )
    const timer = setTimeout(late, waitTimeoutMs)
    const onAbort = () => this.#refuse(waiter, signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    this.#serve()
    this.#trim(waiter)
    return promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    })
  }

  /** Called when an engine has room again, came back or was lost. */
  onChange(): void {
    this.#changes++
    this.#serve()
  }

  clear(error: FencedError): void {
    for (const waiter of [...this.#waiters]) this.#refuse(waiter, error)
  }

  #serve(): void {
    const ready = this.#waiters.filter(
      ({ isTrying, triedAt }) => isTrying || triedAt === undefined || triedAt < this.#changes,
    )
    for (const waiter of ready.slice(0, this.#parts.room())) {
      if (!waiter.isTrying) void this.#attempt(waiter)
    }
  }

  async #attempt(waiter: Waiter): Promise<void> {
    const triedAt = this.#changes
    waiter.isTrying = true
    try {
      const placement = await waiter.choose()
      if (placement === undefined) return
      const isWanted = this.#waiters.includes(waiter)
      this.#remove(waiter)
      if (isWanted) waiter.resolve(placement)
      else placement.release()
    } catch (error) {
      this.#refuse(waiter, error)
    } finally {
      waiter.isTrying = false
      waiter.triedAt = triedAt
      this.#serve()
      this.#trim(waiter)
    }
  }

  #trim(waiter: Waiter): void {
    const { maxWaiting } = this.#parts
    if (waiter.isTrying || !this.#waiters.includes(waiter) || this.length <= maxWaiting) return
    this.#refuse(
      waiter,
      this.#full(`${maxWaiting} starts wait already`, { option: 'maxWaiting', limit: String(maxWaiting) }),
    )
  }

  #refuse(waiter: Waiter, error: unknown): void {
    this.#remove(waiter)
    waiter.reject(error)
  }

  #remove(waiter: Waiter): void {
    this.#waiters = this.#waiters.filter((each) => each !== waiter)
  }

  #full(why: string, data: Readonly<Record<string, string>>): FencedError {
    const message = `No engine of the pool has room for another sandbox: ${why}. The engines: ${this.#parts.describe()}. Stop executors, wait longer (\`waitTimeoutMs\`), or raise \`capacity\`.`
    return new FencedError({ code: 'POOL_FULL', message, data })
  }
}
