import { FencedError } from '@fenced/core'
import { parseOptions, type StartContext } from '@fenced/core/driver'
import { untilAborted } from '@fenced/core/internal'
import { isImageId } from '../image/image-name.ts'
import { defaultImage, type ImageSettings } from '../image/image-options.ts'
import {
  type EnginePoolOptions,
  type EnginePoolSettings,
  enginePoolOptionsSchema,
} from './engine-pool-options.ts'
import { closedError, inWords, skipped } from './engine-words.ts'
import type { Placement } from './placement.ts'
import { PlacementQueue } from './placement-queue.ts'
import { PooledEngine, type PooledEngineState } from './pooled-engine.ts'
import { firstFound, soonest } from './slow-engines.ts'

/** Usage of an engine pool, for monitoring. */
export interface EnginePoolState {
  readonly engines: readonly PooledEngineState[]
  /** Number of starts that are waiting for an engine with free capacity. */
  readonly waiting: number
}

/** What a sandbox needs from an engine. */
export interface PlacementRequest {
  readonly image: Pick<ImageSettings, 'image' | 'pull' | 'platform' | 'build'>
  /** Name or ID of a container that may already exist on one of the engines. */
  readonly container: string | undefined
}

/**
 * A pool of several engines, each of which runs a limited number of sandboxes at a time. When an executor or sandbox that uses
 * the pool starts, it is placed on the engine with the largest share of free capacity among those that have its image. If no
 * engine with free capacity has the image, it is pulled or built there.
 *
 * An engine that does not answer gets no sandboxes until it answers again. Anything that ran on it has the status `died`. The
 * next block runs in a new sandbox on another engine, with the files from the working directory on this machine. When the engine
 * comes back, the containers that were lost with it are removed first. A container that outlives its process
 * (`stopContainer: false`, `detached`) is kept, and a start that may need it rejects with `ENGINE_UNREACHABLE` until the engine
 * answers again.
 *
 * @example
 * ```ts
 * await using pool = new EnginePool({
 *   engines: [
 *     { docker: 'unix:///var/run/docker.sock', capacity: 4 },
 *     { docker: 'ssh://me@build-machine', capacity: 20 },
 *   ],
 * })
 * await using executor = new DockerCommandLineCodeExecutor({ docker: pool })
 * ```
 */
export class EnginePool implements AsyncDisposable {
  readonly #settings: EnginePoolSettings
  readonly #engines: readonly PooledEngine[]
  readonly #queue: PlacementQueue
  readonly #timers = new Map<PooledEngine, NodeJS.Timeout>()
  /** Resolves when it is known which engines answer. */
  #firstLook: Promise<unknown> | undefined
  #isClosed = false

  /** @throws FencedError `INVALID_OPTIONS`. */
  constructor(options: EnginePoolOptions) {
    this.#settings = parseOptions(enginePoolOptionsSchema, options, 'EnginePool')
    const { engines, maxWaiting, waitTimeoutMs } = this.#settings
    this.#engines = engines.map((each) => new PooledEngine(each, () => this.#queue.onChange()))
    this.#queue = new PlacementQueue({
      ...{ maxWaiting, waitTimeoutMs },
      room: () => this.#room(),
      describe: () => this.#engines.map(({ state }) => inWords(state)).join('; '),
    })
  }

  get state(): EnginePoolState {
    return { engines: this.#engines.map(({ state }) => state), waiting: this.#queue.length }
  }

  /** Checks every engine now. After the first start, this also happens periodically. Does not reject if engines do not answer. */
  async check(): Promise<EnginePoolState> {
    await Promise.all(this.#engines.map((each) => each.check()))
    return this.state
  }

  /**
   * Stops placing new sandboxes on an engine. Its existing sandboxes run until they are stopped; the engine is empty when its
   * `inUse` is 0.
   *
   * @param name - Name of the engine in the options.
   * @throws FencedError `INVALID_OPTIONS` if no engine has that name.
   */
  drain(name: string): void {
    this.#named(name).isDraining = true
  }

  /** Reverses {@link drain}. */
  undrain(name: string): void {
    this.#named(name).isDraining = false
    this.#queue.onChange()
  }

  /**
   * Rejects waiting starts, removes what lost sandboxes left on engines that answer, and closes the connections. Stop the
   * executors first. Anything left is removed in the background for about 5 minutes, as soon as its engine answers, while this
   * process runs.
   *
   * @throws FencedError if an engine that answers could not remove something: `ENGINE_LOST`, `ENGINE_UNREACHABLE` or
   *   `ENGINE_FAILED`.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#queue.clear(closedError())
    try {
      await Promise.all(
        this.#engines.map((each) => (each.state.health === 'up' ? each.removePending() : undefined)),
      )
    } finally {
      for (const engine of this.#engines) engine.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /**
   * Returns an engine for one sandbox.
   *
   * @internal
   * @throws FencedError `POOL_FULL`, `POOL_STOPPED`, or `ENGINE_UNREACHABLE` if no engine answers.
   */
  async place(request: PlacementRequest, { signal, notice }: StartContext): Promise<Placement> {
    if (this.#isClosed) throw closedError()
    this.#watch()
    this.#firstLook ??= soonest(this.#engines.map((each) => each.check()))
    await untilAborted(this.#firstLook, signal)
    const placement =
      (await untilAborted(this.#placementOfContainer(request, signal), signal)) ??
      (await this.#queue.join(() => this.#choose(request.image), signal))
    for (const each of this.#engines) {
      if (each.state.health === 'down') notice(skipped(each))
    }
    return placement
  }

  #room(): number {
    const states = this.#engines.map(({ state }) => state)
    if (states.every(({ health }) => health === 'down')) return Number.POSITIVE_INFINITY
    return this.#engines.reduce((sum, { room }) => sum + room, 0)
  }

  /** Checks each engine separately, so that a slow engine does not delay the others. */
  #watch(): void {
    if (this.#timers.size > 0) return
    const askLater = (engine: PooledEngine) => {
      const ask = async () => {
        await engine.check()
        if (!this.#isClosed) askLater(engine)
      }
      this.#timers.set(engine, setTimeout(ask, this.#settings.checkIntervalMs).unref())
    }
    this.#engines.forEach(askLater)
  }

  /** Returns a placement on the engine that already has the container, even if the engine is full. */
  async #placementOfContainer(
    { container }: PlacementRequest,
    signal: AbortSignal,
  ): Promise<Placement | undefined> {
    if (container === undefined) return undefined
    const looks = this.#engines.map(async (each) => {
      // A slow engine may have the container that the others do not have.
      if (each.state.health === 'unknown') await each.check()
      const found = await each.ask((engine, options) => engine.findContainer(container, options))
      return found === undefined ? undefined : each
    })
    const keeper = await firstFound(looks)
    if (keeper === undefined) this.#requireAll(container)
    signal.throwIfAborted()
    return keeper?.reserve()
  }

  async #choose(image: PlacementRequest['image']): Promise<Placement | undefined> {
    this.#requireOne()
    const withImage = await this.#enginesWith(image)
    const open = this.#engines.filter(({ room }) => room > 0)
    const [best] = preferred(open, withImage, image).sort(
      (one, other) => other.room / other.capacity - one.room / one.capacity || other.room - one.room,
    )
    return best?.reserve()
  }

  /** Those that have the image; all of them where none is named. */
  async #enginesWith({
    image = defaultImage,
    platform,
    build,
  }: PlacementRequest['image']): Promise<ReadonlySet<PooledEngine>> {
    if (build !== undefined) return new Set(this.#engines)
    const having = new Set<PooledEngine>()
    const looks = this.#engines.map(async (each) => {
      const question = each.ask((engine, options) => engine.hasImage(image, { ...options, platform }))
      // An engine that cannot say it gets the image by a pull, or says why not.
      if ((await question.catch(() => false)) === true) having.add(each)
      return each.room > 0 && having.has(each)
    })
    await soonest(looks)
    return new Set(having)
  }

  #requireOne(): void {
    if (this.#engines.every(({ state }) => state.health === 'down'))
      throw this.#unreachable('No engine of the pool answers')
  }

  /** An engine that does not answer may have the container that the others do not have. */
  #requireAll(container: string): void {
    if (this.#engines.every(({ state }) => state.health !== 'down')) return
    throw this.#unreachable(
      `No responding engine in the pool has the container ${container}, and these engines do not respond`,
      { container },
    )
  }

  #unreachable(what: string, data?: { readonly container: string }): FencedError {
    const down = this.#engines.filter(({ state }) => state.health === 'down')
    const list = down.map(({ name, state }) => `- ${name}: ${state.problem}\n`).join('')
    const message = `${what}:\n${list}Start one of them, or correct its address or certificates.`
    const engine = down.map(({ name }) => name).join(', ')
    const fault = down.map(({ problemData }) => problemData?.fault ?? 'other').join(', ')
    return new FencedError({ code: 'ENGINE_UNREACHABLE', message, data: { engine, fault, ...data } })
  }

  #named(name: string): PooledEngine {
    const found = this.#engines.find((each) => each.name === name)
    if (found !== undefined) return found
    const names = this.#engines.map((each) => each.name).join(', ')
    throw new FencedError({
      code: 'INVALID_OPTIONS',
      message: `The pool has no engine "${name}". Its engines: ${names}`,
      data: { engine: name, known: names },
    })
  }
}

/** Prefers engines that have the image, if it cannot be pulled or built, or if any of them has it. */
function preferred(
  open: readonly PooledEngine[],
  withImage: ReadonlySet<PooledEngine>,
  { image = defaultImage, pull }: PlacementRequest['image'],
): PooledEngine[] {
  const having = open.filter((each) => withImage.has(each))
  const isPulled = pull !== 'never' && !isImageId(image)
  return having.length > 0 || (!isPulled && withImage.size > 0) ? having : [...open]
}
