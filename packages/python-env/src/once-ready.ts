import type { EnvironmentOptions } from './python-environment.ts'

/** Something that is made once, by the first who needs it; what failed is tried again by the next. */
export class OnceReady<T> {
  readonly #make: (options: EnvironmentOptions) => Promise<T>
  #made: Promise<T> | undefined

  constructor(make: (options: EnvironmentOptions) => Promise<T>) {
    this.#make = make
  }

  get(options: EnvironmentOptions): Promise<T> {
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
