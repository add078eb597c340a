/** Lines in the order of their arrival, which can be gone back over. */
export class LineQueue {
  #lines: string[] = []
  #next = 0
  #forgotten = 0
  #charactersAdded = 0
  #charactersRead = 0

  /** How many lines have been read: the number of the line that was read last, counted from 1. */
  get position(): number {
    return this.#forgotten + this.#next
  }

  /** Line endings included, as in {@link charactersReadAgain}. */
  get charactersAdded(): number {
    return this.#charactersAdded
  }

  get charactersReadAgain(): number {
    return Math.max(0, this.#charactersRead - this.#charactersAdded)
  }

  add(line: string): void {
    this.#charactersAdded += line.length + 1
    this.#lines.push(line)
  }

  /** The next line, or `undefined` until one is added. */
  read(): string | undefined {
    const line = this.#lines[this.#next]
    if (line === undefined) return undefined
    this.#next += 1
    this.#charactersRead += line.length + 1
    return line
  }

  /** Makes the line behind `position` the next one. Nothing behind it may have been forgotten. */
  goBack(position: number): void {
    this.#next = position - this.#forgotten
  }

  /** Drops the lines that have been read; some at a time, because a new array costs more than a line. */
  forget(): void {
    if (this.#next < 1000) return
    this.#lines = this.#lines.slice(this.#next)
    this.#forgotten += this.#next
    this.#next = 0
  }
}
