import type { OutputSink } from '@fenced/core/sandbox'

/** How much output is kept before the program is held up, in bytes. */
const longest = 1_048_576

/**
 * Output of a terminal that has not said yet that it started. It is kept until then: while a sink waits, neither stream of a process is read,
 * and the line that says so arrives on the other one.
 */
export class HeldOutput {
  readonly #sink: OutputSink
  readonly #released = Promise.withResolvers<void>()
  #kept: Uint8Array[] = []
  #length = 0
  /** Resolves when the sink has taken what was kept. */
  #taken: Promise<void> | undefined

  constructor(sink: OutputSink) {
    this.#sink = sink
  }

  readonly take: OutputSink = (stream, chunk) => {
    if (this.#taken === undefined) {
      this.#kept.push(Uint8Array.from(chunk))
      this.#length += chunk.length
      return this.#length > longest ? this.#released.promise : undefined
    }
    if (this.#length === 0) return this.#sink(stream, chunk)
    const copy = Uint8Array.from(chunk)
    return this.#taken.then(() => this.#sink(stream, copy))
  }

  /** Passes on what was kept, and then all output. Rejects with the error of the sink. */
  release(): Promise<void> {
    this.#taken ??= this.#passOn()
    return this.#taken
  }

  async #passOn(): Promise<void> {
    this.#released.resolve()
    for (const chunk of this.#kept) await this.#sink('stdout', chunk)
    this.#kept = []
    this.#length = 0
  }
}
