import type { FencedError } from '@fenced/core'

/** Lets one thing happen at a time, and refuses what comes meanwhile. */
export class OneAtATime {
  readonly #refusal: () => FencedError
  #isTaken = false

  /** @param refusal - what is thrown while something happens. */
  constructor(refusal: () => FencedError) {
    this.#refusal = refusal
  }

  /** Until it is disposed of nothing else happens. */
  take(): Disposable {
    if (this.#isTaken) throw this.#refusal()
    this.#isTaken = true
    return {
      [Symbol.dispose]: () => {
        this.#isTaken = false
      },
    }
  }
}
