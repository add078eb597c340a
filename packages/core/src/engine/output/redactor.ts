const mask = '[redacted]'

/**
 * Replaces secret values in a stream of text. The end of a chunk is held back while it could be the beginning of a
 * secret, so that a value is found wherever the stream was cut.
 */
export class Redactor {
  readonly #secrets: readonly string[]
  #held = ''

  /** @param secrets - no empty strings. */
  constructor(secrets: readonly string[]) {
    // The longest first, so that a value that begins with another one is replaced whole.
    this.#secrets = [...secrets].sort((a, b) => b.length - a.length)
  }

  push(chunk: string): string {
    const text = this.#held + chunk
    const findSecret = this.#search(text)
    let open = this.#openEnd(text, 0)
    let output = ''
    let position = 0
    for (;;) {
      const secret = findSecret(position)
      if (secret === undefined || secret.start >= open) {
        this.#held = text.slice(open)
        return output + text.slice(position, open)
      }
      output += text.slice(position, secret.start) + mask
      position = secret.end
      if (position > open) open = this.#openEnd(text, position)
    }
  }

  /** The rest, when the stream has ended. */
  end(): string {
    const rest = this.#held
    this.#held = ''
    return this.redact(rest)
  }

  /** Replaces the secrets in a text that is whole. */
  redact(text: string): string {
    const findSecret = this.#search(text)
    let output = ''
    let position = 0
    for (let secret = findSecret(0); secret !== undefined; secret = findSecret(position)) {
      output += text.slice(position, secret.start) + mask
      position = secret.end
    }
    return output + text.slice(position)
  }

  /**
   * Gives the first secret at or behind a position, which must not go back; of those that begin together the
   * longest. No regular expression: many or long values make one that is too large for V8.
   */
  #search(text: string): (position: number) => { start: number; end: number } | undefined {
    const starts = this.#secrets.map((secret) => text.indexOf(secret))
    return (position) => {
      let first: { start: number; end: number } | undefined
      for (const [index, secret] of this.#secrets.entries()) {
        let start = starts[index] ?? -1
        if (start !== -1 && start < position) {
          start = text.indexOf(secret, position)
          starts[index] = start
        }
        if (start !== -1 && start < (first?.start ?? text.length))
          first = { start, end: start + secret.length }
      }
      return first
    }
  }

  /** Where the text's end begins that could grow into a secret; the length of the text when there is none. */
  #openEnd(text: string, from: number): number {
    let open = text.length
    for (const secret of this.#secrets) {
      for (let start = Math.max(from, text.length - secret.length + 1); start < open; start++) {
        if (secret.startsWith(text.slice(start))) open = start
      }
    }
    return open
  }
}
