import { type CodeExecutor, FencedError, type StartOptions } from '@fenced/core'
import { SharedStart } from '@fenced/core/internal'
import { untilAborted } from '@fenced/shared'

/** A lease of an executor. Dispose of it to release the executor. */
export interface HeldExecutor extends AsyncDisposable {
  readonly executor: CodeExecutor
  /** Gives the next caller a new executor, because this one is not usable. */
  giveUp(): void
}

interface Generation {
  readonly start: SharedStart<CodeExecutor>
  readonly ended: PromiseWithResolvers<void>
  holders: number
  isOver: boolean
}

/**
 * One executor for many calls, created by the first call. When it is replaced, calls that hold it keep it, and the last one stops it.
 * The next executor starts after that, because two isolated executors cannot share a working directory.
 */
export class SharedExecutor {
  readonly #create: (options: StartOptions) => Promise<CodeExecutor>
  readonly #generations = new Set<Generation>()
  #current: Generation | undefined

  constructor(create: (options: StartOptions) => Promise<CodeExecutor>) {
    this.#create = create
  }

  async hold(options: StartOptions): Promise<HeldExecutor> {
    this.#current ??= this.#begin()
    const generation = this.#current
    generation.holders++
    try {
      return {
        executor: await generation.start.get(options),
        giveUp: () => this.#retire(generation),
        [Symbol.asyncDispose]: () => this.#release(generation),
      }
    } catch (error) {
      await this.#release(generation)
      throw error
    }
  }

  /** Gives the next caller a new executor. */
  async replace(): Promise<void> {
    const generation = this.#current
    if (generation === undefined) return
    this.#retire(generation)
    await this.#stopUnlessHeld(generation)
  }

  /** Ends all executors with their programs. Can be used again. */
  async stop(): Promise<void> {
    const generations = [...this.#generations]
    for (const generation of generations) this.#retire(generation)
    await Promise.all(generations.map((generation) => this.#end(generation)))
  }

  #begin(): Generation {
    const earlier = Promise.all([...this.#generations].map(({ ended }) => ended.promise))
    const start = new SharedStart<CodeExecutor>({
      start: async (options) => {
        await untilAborted(earlier, options.signal)
        return await this.#create(options)
      },
      stop: (executor) => executor.stop(),
      isAlive: () => true,
      stoppedError,
    })
    const generation = { start, ended: Promise.withResolvers<void>(), holders: 0, isOver: false }
    this.#generations.add(generation)
    return generation
  }

  #retire(generation: Generation): void {
    generation.isOver = true
    if (this.#current === generation) this.#current = undefined
  }

  async #release(generation: Generation): Promise<void> {
    generation.holders--
    await this.#stopUnlessHeld(generation)
  }

  async #stopUnlessHeld(generation: Generation): Promise<void> {
    if (generation.isOver && generation.holders === 0) await this.#end(generation)
  }

  async #end(generation: Generation): Promise<void> {
    try {
      await generation.start.stop()
    } finally {
      this.#generations.delete(generation)
      generation.ended.resolve()
    }
  }
}

function stoppedError(): FencedError {
  return new FencedError({
    code: 'EXECUTOR_STOPPED',
    message: 'The tool was stopped while its executor was starting.',
  })
}
