/** An entry that is on one side only. */
export interface SkippedEntry {
  /** Its name below the working directory. */
  readonly name: string
  /** The rest of a sentence that begins with the name: `is a symbolic link`. */
  readonly why: string
}

/** Entries that a copy left on their side. */
export interface CopyReport {
  /** The first hundred that were made or changed since the copies before. */
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

/** Reports a skipped entry in the copy that first finds it in a version, although later copies skip it, too. */
export class SkippedEntries {
  #told: ReadonlySet<string> = new Set()
  /** What the current copy has found, and how many look the same: so do names with different bytes that are not UTF-8. */
  #found = new Map<string, number>()
  #remembered = 0
  #skipped: SkippedEntry[] = []
  #count = 0

  /** Begins with a copy. The copy before may have failed before its report. */
  begin(): void {
    this.#found = new Map()
    this.#remembered = 0
    this.#skipped = []
    this.#count = 0
  }

  add(entry: SkippedEntry, version: string): void {
    const look = [entry.name, entry.why, version].join('\0')
    const same = this.#found.get(look) ?? 0
    if (this.#remembered++ < maxRemembered) this.#found.set(look, same + 1)
    if (this.#told.has(numbered(look, same))) return
    this.#count++
    if (this.#skipped.length < maxListed) this.#skipped.push(entry)
  }

  /** The report on the current copy. */
  report(complete: boolean): CopyReport {
    const found = [...this.#found].flatMap(([look, count]) =>
      Array.from({ length: count }, (_, index) => numbered(look, index)),
    )
    // What is gone is told again when it returns.
    this.#told = new Set(complete ? found : [...this.#told, ...found].slice(-maxRemembered))
    return { skipped: this.#skipped, skippedCount: this.#count, complete }
  }
}

function numbered(look: string, index: number): string {
  return `${look}\0${index}`
}
