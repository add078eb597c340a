import { endOf } from './bounded-text.ts'

/** The end of what an execution has written so far. Adding costs as much as what is added, however long all of it is. */
export class OutputTail {
  readonly #maxLength: number
  /** Of the blocks before this one: what is kept, and how much it was. */
  #earlier = ''
  #earlierLength = 0
  #current = ''
  #currentLength = 0

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  add(text: string): void {
    this.#current += text
    this.#currentLength += text.length
    // Cut seldom: every cut costs a copy.
    if (this.#current.length > 2 * this.#maxLength) this.#current = endOf(this.#current, this.#maxLength)
  }

  /** Something on a line of its own: a rich result as text. */
  addLine(text: string): void {
    this.add(`${this.#current === '' || this.#current.endsWith('\n') ? '' : '\n'}${text}\n`)
  }

  startBlock(): void {
    this.#earlier = endOf(this.#earlier + this.#current, this.#maxLength)
    this.#earlierLength += this.#currentLength
    this.clear()
  }

  /** Forgets what the block has written. */
  clear(): void {
    this.#current = ''
    this.#currentLength = 0
  }

  get text(): string {
    const end = endOf(this.#earlier + this.#current, this.#maxLength)
    const leftOut = this.#earlierLength + this.#currentLength - end.length
    return leftOut === 0 ? end : `[... ${leftOut} characters before this ...]\n${end}`
  }
}
