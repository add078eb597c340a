import { visible } from '@fenced/agents'

/** Puts a margin before every line of a text that comes in pieces. */
export class Margin {
  readonly #write: (text: string) => void
  #margin: string | undefined

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  /** Another margin than that of the line at hand begins a new line. */
  add(margin: string, text: string): void {
    if (this.#margin !== undefined && this.#margin !== margin) this.end()
    // A progress bar goes back to the beginning of its line, which is behind the margin.
    const lines = text.split(/\r?\n/).map((line) => line.split('\r').map(visible).join(`\r${margin}`))
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      this.#write(`${this.#margin === undefined ? margin : ''}${line}\n`)
      this.#margin = undefined
    }
    if (rest === '') return
    this.#write(`${this.#margin === undefined ? margin : ''}${rest}`)
    this.#margin = margin
  }

  /** Ends the line at hand. */
  end(): void {
    if (this.#margin !== undefined) this.#write('\n')
    this.#margin = undefined
  }
}
