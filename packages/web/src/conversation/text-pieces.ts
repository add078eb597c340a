/** Text is passed on in pieces of this length, in UTF-16 code units, or after this time. */
const pieceLength = 16 * 1024
const pieceMs = 40

/** Joins what comes in many small parts, so that the log has fewer events than a model has tokens. */
export class TextPieces {
  readonly #write: (text: string) => void
  #text = ''
  #timer: NodeJS.Timeout | undefined

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  add(text: string): void {
    this.#text += text
    if (this.#text.length >= pieceLength) this.flush()
    else this.#timer ??= setTimeout(() => this.#flushInTime(), pieceMs)
  }

  /** Flushes from a timer. An error has already ended the turn, and an exception here would end the process. */
  #flushInTime(): void {
    try {
      this.flush()
    } catch {
      // The turn says why.
    }
  }

  /** Passes on what is left. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const text = this.#text
    this.#text = ''
    if (text !== '') this.#write(text)
  }
}
