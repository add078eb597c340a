/** Keeps the beginning and the end of a text that comes in pieces, within a number of characters. */
export class KeptText {
  readonly #maxCharacters: number
  #head = ''
  #tail = ''
  #dropped = 0

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters
  }

  add(piece: string): void {
    const forHead = Math.ceil(this.#maxCharacters / 2) - this.#head.length
    this.#head += piece.slice(0, forHead)
    this.#tail += piece.slice(forHead)
    const tooMany = this.#head.length + this.#tail.length - this.#maxCharacters
    if (tooMany <= 0) return
    this.#dropped += tooMany
    this.#tail = this.#tail.slice(tooMany)
  }

  toString(): string {
    if (this.#dropped === 0) return this.#head + this.#tail
    return `${this.#head}\n[… ${this.#dropped} characters are left out …]\n${this.#tail}`
  }
}
