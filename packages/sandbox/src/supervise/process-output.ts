import type { StreamName } from '@fenced/core/driver'
import type { BackendProcess, OutputSink } from '@fenced/core/sandbox'
import { EndMark, type EndNote } from '../exec/end-mark.ts'

/** What a program writes, from the backend's connection to its reader, and whether all of it arrived. */
export class ProcessOutput {
  readonly #sink: OutputSink
  readonly #marks: Readonly<Record<StreamName, EndMark>>
  readonly #onFailure: () => void
  /** When something was last seen, on the clock of `performance.now`. */
  #seenAt = performance.now()
  /** How many chunks our own reader has not taken yet. */
  #heldCount = 0
  #failure: { readonly error: unknown } | undefined
  /** Settles when both marks were read, and all before them was taken. */
  readonly #whole = Promise.withResolvers<void>()

  /** @param onFailure - called when the sink throws. */
  constructor(runId: string, sink: OutputSink, onFailure: () => void) {
    this.#sink = sink
    this.#marks = { stdout: new EndMark(runId), stderr: new EndMark(runId) }
    this.#onFailure = onFailure
  }

  /** What the sink threw. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure
  }

  /** How the program ended; `undefined` unless both streams ended. */
  get note(): EndNote | undefined {
    return this.#marks.stdout.note === undefined ? undefined : this.#marks.stderr.note
  }

  /** How long nothing has come although we were listening, in milliseconds. */
  get quietMs(): number {
    return this.#heldCount > 0 ? 0 : performance.now() - this.#seenAt
  }

  /**
   * Takes everything up to the connection's end, however it ends.
   *
   * @param endsWithUs - whether the connection stays open until it is closed here.
   */
  async read(process: BackendProcess, endsWithUs: boolean): Promise<void> {
    try {
      const reading = process.read((stream, chunk) => {
        this.#seenAt = performance.now()
        const text = this.#marks[stream].push(chunk)
        const held = text.length === 0 ? undefined : this.#pass(stream, text)
        if (this.note === undefined) return held
        if (held !== undefined) return held.then(this.#whole.resolve)
        this.#whole.resolve()
      })
      await (endsWithUs ? Promise.race([reading, this.#whole.promise]) : reading)
    } catch {
      // Out of step: then the marks are missing.
    }
  }

  #pass(stream: StreamName, text: Uint8Array): void | Promise<void> {
    if (this.#failure !== undefined) return
    try {
      const held = this.#sink(stream, text)
      if (held !== undefined) return this.#whileHeld(held)
    } catch (error) {
      this.#fail(error)
    }
  }

  async #whileHeld(held: Promise<void>): Promise<void> {
    this.#heldCount++
    await held.catch((error: unknown) => this.#fail(error))
    this.#heldCount--
    this.#seenAt = performance.now()
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#onFailure()
  }
}
