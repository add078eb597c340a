import type { ConnectOptions } from './connection-info.ts'

export interface SharedStartOptions<T> {
  readonly start: (options: ConnectOptions) => Promise<T>
  readonly stop: (running: T) => Promise<void>
  /** Whether what was started is still there. */
  readonly isAlive: (running: T) => boolean
}

/** Something that is started by the first who needs it, and once for all who need it at the same time. */
export class SharedStart<T> {
  readonly #options: SharedStartOptions<T>
  #running: Promise<T> | undefined

  constructor(options: SharedStartOptions<T>) {
    this.#options = options
  }

  async get(options: ConnectOptions): Promise<T> {
    const running = this.#running
    if (running === undefined) return this.#start(options)
    const found = await running
    if (this.#options.isAlive(found)) return found
    // Only the first who notices starts it anew.
    if (this.#running === running) {
      await this.#options.stop(found)
      this.#running = undefined
    }
    return this.get(options)
  }

  async stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    const found = await running?.catch(() => undefined)
    if (found !== undefined) await this.#options.stop(found)
  }

  #start(options: ConnectOptions): Promise<T> {
    const started = this.#options.start(options)
    this.#running = started
    started.catch(() => {
      if (this.#running === started) this.#running = undefined
    })
    return started
  }
}
