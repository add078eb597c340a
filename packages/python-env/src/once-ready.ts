import type { StartOptions } from '@fenced/core'

/** Something that is made once, by the first who needs it; what failed is tried again by the next. */
export class OnceReady<T> {
  readonly #make: (options: StartOptions) => Promise<T>
  #made: Promise<T> | undefined

  constructor(make: (options: StartOptions) => Promise<T>) {
    this.#make = make
  }

  get(options: StartOptions): Promise<T> {
    const made = this.#made ?? this.#make(options)
    this.#made = made
    made.catch(() => {
      if (this.#made === made) this.#made = undefined
    })
    return made
  }

  /** What was made, if anything was; from now on it is made anew. */
  async take(): Promise<T | undefined> {
    const made = this.#made
    this.#made = undefined
    return made?.catch(() => undefined)
  }
}
