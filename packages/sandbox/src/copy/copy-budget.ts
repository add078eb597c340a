/** The cost of an empty file. It bounds the number of files. */
const leastCost = 4096

/** What one copy may read in order to throw it away, in bytes. */
const mostInVain = 4 * 2 ** 30

/** The bytes that one copy out of a sandbox may transfer, including bytes that it reads and discards. */
export class CopyBudget {
  readonly maxBytes: number
  #toBring: number
  #toLeave = mostInVain

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
    this.#toBring = maxBytes
  }

  /** Whether a file of this size may still be brought. If so, it counts. */
  bring(sizeBytes: number): boolean {
    const cost = Math.max(sizeBytes, leastCost)
    if (cost > this.#toBring) return false
    this.#toBring -= cost
    return true
  }

  /** Whether so much may still be read in vain. */
  mayLeave(sizeBytes: number): boolean {
    return sizeBytes <= this.#toLeave
  }

  /** Counts something that is read and thrown away. */
  leave(sizeBytes: number): void {
    this.#toLeave -= Math.max(sizeBytes, leastCost)
  }

  /** Whether too much was read in vain. */
  get isUsedUp(): boolean {
    return this.#toLeave < 0
  }
}
