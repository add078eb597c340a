/** The end of a text that comes in pieces. */
export class TextTail {
  readonly #maxLength: number
  #text = ''

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  push(piece: string): void {
    this.#text = (this.#text + piece).slice(-this.#maxLength)
  }

  get text(): string {
    return this.#text
  }
}
