import type { FencedError, StartOptions } from '@fenced/core'
import { orAborted } from './waiting.ts'

export interface SharedStartOptions<T> {
  /** Must give up for the signal, and leave nothing behind when it rejects. */
  readonly start: (options: StartOptions & { readonly signal: AbortSignal }) => Promise<T>
  /** Ends what was started. */
  readonly stop: (running: T) => Promise<void>
  /** Whether what was started is still there. */
  readonly isAlive: (running: T) => boolean
  /** What those hear who wait for a start that `stop` ends. */
  readonly stoppedError: () => FencedError
}

interface Start<T> {
  readonly done: Promise<T>
  readonly controller: AbortController
  /** How many still want it. */
  waiting: number
}

/**
 * Something that is started by the first who needs it, and once for all who need it at the same time. Whoever's signal
 * is aborted leaves; the last one to leave ends the start.
 */
export class SharedStart<T> {
  readonly #options: SharedStartOptions<T>
  #start: Start<T> | undefined
  /** What could not be stopped. */
  #remains: Start<T> | undefined
  /** What has to be over before a new start. */
  #ending: Promise<void> | undefined

  constructor(options: SharedStartOptions<T>) {
    this.#options = options
  }

  async get(options: StartOptions): Promise<T> {
    const { signal } = options
    for (;;) {
      while (this.#ending !== undefined) await this.#ending.catch(() => {})
      if (this.#remains !== undefined) await this.stop()
      signal?.throwIfAborted()
      this.#start ??= this.#begin(options)
      const start = this.#start
      const running = await this.#join(start, signal)
      if (this.#options.isAlive(running)) return running
      // Only the first who notices ends it.
      if (this.#start === start) await this.stop()
    }
  }

  /** Also in the middle of a start. What rejects can be repeated; a new start does so first. */
  async stop(): Promise<void> {
    const start = this.#start ?? this.#remains
    this.#start = undefined
    this.#remains = undefined
    if (start !== undefined) {
      this.#ending = this.#end(start)
        .catch((error: unknown) => {
          this.#remains = start
          throw error
        })
        .finally(() => {
          this.#ending = undefined
        })
    }
    await this.#ending
  }

  #begin(options: StartOptions): Start<T> {
    const controller = new AbortController()
    const done = this.#options.start({ ...options, signal: controller.signal })
    const start = { done, controller, waiting: 0 }
    done.catch(() => {
      if (this.#start === start) this.#start = undefined
    })
    return start
  }

  async #join(start: Start<T>, signal: AbortSignal | undefined): Promise<T> {
    start.waiting++
    try {
      const running = signal === undefined ? await start.done : await orAborted(start.done, signal)
      if (running !== 'aborted') return running as T
      if (start.waiting === 1 && this.#start === start) await this.stop()
      throw signal?.reason
    } finally {
      start.waiting--
    }
  }

  async #end({ done, controller }: Start<T>): Promise<void> {
    controller.abort(this.#options.stoppedError())
    const running = await done.catch(() => undefined)
    if (running !== undefined) await this.#options.stop(running)
  }
}
