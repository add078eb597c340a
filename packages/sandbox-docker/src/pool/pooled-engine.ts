import { FencedError } from '@fenced/core'
import { raceAbort, raceTimeout } from '@fenced/core/internal'
import { PendingRemovals } from '../container/pending-removals.ts'
import { Engine } from '../engine.ts'
import type { EnginePoolSettings } from './engine-pool-options.ts'
import { Placement } from './placement.ts'

/** Usage of an engine in a pool, for monitoring. */
export interface PooledEngineState {
  readonly name: string
  /** Whether the engine answers. `unknown` before the first check. */
  readonly health: 'unknown' | 'up' | 'down'
  /** The reason why the engine is not used, if `health` is `down`. */
  readonly problem: string | undefined
  /** Whether the engine accepts no new sandboxes because of `drain`. */
  readonly isDraining: boolean
  readonly capacity: number
  /** Number of sandboxes on the engine, including those that are starting. */
  readonly inUse: number
}

/** How long an engine may take to answer, in milliseconds; ssh opens a connection for it. */
const answerMs = 10_000

/** How long an engine that is back may take to remove what was lost with it before it takes new sandboxes, in milliseconds. */
const removalMs = 10_000

/** An engine of a pool: whether it answers, how much room it has, and what is to be removed from it. */
export class PooledEngine {
  readonly name: string
  readonly capacity: number
  isDraining = false
  /** What failed starts left, and the containers of sandboxes that were lost with it. */
  readonly pendingRemovals = new PendingRemovals()
  readonly #connection: EnginePoolSettings['engines'][number]['docker']
  readonly #onChange: () => void
  readonly #placements = new Set<Placement>()
  #health: PooledEngineState['health'] = 'unknown'
  #problem: string | undefined
  /** The values in the words of `problem`. */
  problemData: FencedError['data']
  #engine: Engine | undefined
  #checking: Promise<boolean> | undefined
  #removing: Promise<void> | undefined

  /** @param onChange - called when it has room again, came back or was lost. */
  constructor({ name, capacity, docker }: EnginePoolSettings['engines'][number], onChange: () => void) {
    this.name = name
    this.capacity = capacity
    this.#connection = docker
    this.#onChange = onChange
  }

  get state(): PooledEngineState {
    const { name, isDraining, capacity } = this
    const health = this.#health
    return { name, health, problem: this.#problem, isDraining, capacity, inUse: this.#placements.size }
  }

  /** How many more sandboxes it takes now. */
  get room(): number {
    if (this.#health !== 'up' || this.isDraining) return 0
    return Math.max(0, this.capacity - this.#placements.size)
  }

  /** Holds one of its sandboxes, also beyond its capacity. */
  reserve(): Placement {
    if (this.#engine === undefined) throw new Error(`The engine ${this.name} was never connected.`)
    const placement: Placement = new Placement({
      pooled: this,
      engine: this.#engine,
      onRelease: () => {
        if (this.#placements.delete(placement)) this.#onChange()
      },
    })
    this.#placements.add(placement)
    return placement
  }

  /**
   * Asks it something; `undefined` when it does not answer, and is `down` then.
   *
   * @throws FencedError when the engine answers other requests but not this request, also when it is repeated.
   */
  async ask<Answer>(
    question: (engine: Engine, options: { readonly signal: AbortSignal }) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    if (this.#engine === undefined || this.#health !== 'up') return undefined
    const engine = this.#engine
    const attempt = async () => {
      const signal = AbortSignal.timeout(answerMs)
      const answer = await raceAbort(question(engine, { signal }), signal)
      if (answer === 'aborted') throw silent(this.name)
      return answer
    }
    return attempt().catch(async () => ((await this.check()) ? attempt() : undefined))
  }

  /** Checks whether the engine answers. When it is back, pending removals come first. */
  check(): Promise<boolean> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  /**
   * Removes what is to be removed from it; calls at the same time share one removal.
   *
   * @throws FencedError, and it can be called again.
   */
  async removePending(): Promise<void> {
    this.#removing ??= this.#engine?.removePending().finally(() => {
      this.#removing = undefined
    })
    await this.#removing
  }

  /** What is still to be removed is removed in the background. */
  close(): void {
    this.#engine?.close()
    if (!this.pendingRemovals.isEmpty) this.pendingRemovals.removeLater()
  }

  async #check(): Promise<boolean> {
    try {
      await this.#reach().catch((error: unknown) => {
        // A kept connection breaks with the engine, also after the engine is back. Silence is a different fault.
        if (this.#health !== 'up' || isSilence(error)) throw error
        return this.#reach()
      })
      if (!this.pendingRemovals.isEmpty) await this.#removeLost()
    } catch (error) {
      this.#lose(error)
      return false
    }
    const wasUp = this.#health === 'up'
    this.#health = 'up'
    this.#problem = undefined
    this.problemData = undefined
    if (!wasUp) this.#onChange()
    return true
  }

  /** What it cannot remove, or not soon, is tried again with each check, and keeps it from nothing. */
  async #removeLost(): Promise<void> {
    const removal = this.removePending().then(
      () => true,
      () => false,
    )
    if (this.#health === 'up') return
    if ((await raceTimeout(removal, removalMs)) !== true) await this.#reach()
  }

  async #reach(): Promise<void> {
    const { pendingRemovals } = this
    if (this.#engine === undefined) this.#engine = await Engine.connect(this.#connection, { pendingRemovals })
    else await this.#ping(this.#engine)
  }

  async #ping(engine: Engine): Promise<void> {
    const signal = AbortSignal.timeout(answerMs)
    await engine.ping({ signal }).catch((error: unknown) => {
      throw signal.aborted ? silent(this.name) : error
    })
  }

  /** Its sandboxes count as lost from now on, and are removed when it is back. */
  #lose(error: unknown): void {
    this.#problem = FencedError.isInstance(error) ? error.message : String(error)
    this.problemData = FencedError.isInstance(error) ? dataOf(error) : undefined
    this.#health = 'down'
    const lost = [...this.#placements]
    this.#placements.clear()
    for (const placement of lost) placement.lose()
    this.#onChange()
  }
}

/** A connection that breaks under a request has the reason, in the words of Node, and no fault: it was closed. */
function dataOf({ code, data }: FencedError): FencedError['data'] {
  return code === 'ENGINE_LOST' && data?.reason !== undefined ? { fault: 'closed', ...data } : data
}

function isSilence(error: unknown): boolean {
  return FencedError.isInstance(error) && error.data?.fault === 'silent'
}

function silent(name: string): FencedError {
  return new FencedError({
    code: 'ENGINE_LOST',
    message: `The engine ${name} in the pool did not respond within ${answerMs / 1_000} seconds. Run \`docker version\` to check whether it is running, then start again.`,
    data: { engine: name, fault: 'silent', limitMs: String(answerMs) },
  })
}
