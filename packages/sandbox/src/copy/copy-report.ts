/** Something in the sandbox that was not brought to this machine. */
export interface SkippedEntry {
  /** Its name below the working directory. */
  readonly name: string
  /** The rest of a sentence that begins with the name: `is a symbolic link`. */
  readonly why: string
}

/** What a copy out of the sandbox left there. */
export interface CopyReport {
  /** What was left and has not been told before: the first hundred of it. */
  readonly skipped: readonly SkippedEntry[]
  /** How many there were. */
  readonly skippedCount: number
  /**
   * `false` when not everything was looked at, and nothing was removed here: there was too much to leave out, or the
   * engine did not send all of it.
   */
  readonly complete: boolean
}

const maxListed = 100
const maxRemembered = 10_000

/** Reports each skipped entry once, although the entry is skipped after every block. */
export class SkippedEntries {
  readonly #told = new Set<string>()
  #skipped: SkippedEntry[] = []
  #count = 0

  add(name: string, why: string): void {
    const key = `${name}\0${why}`
    if (this.#told.has(key)) return
    if (this.#told.size < maxRemembered) this.#told.add(key)
    this.#count++
    if (this.#skipped.length < maxListed) this.#skipped.push({ name, why })
  }

  /** The report on everything since the last one. */
  report(complete: boolean): CopyReport {
    const report = { skipped: this.#skipped, skippedCount: this.#count, complete }
    this.#skipped = []
    this.#count = 0
    return report
  }
}
