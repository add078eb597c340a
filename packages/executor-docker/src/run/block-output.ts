import type { BlockIo, StreamName } from '@fenced/core/driver'
import type { BackendProcess } from '../backend.ts'
import { EndMark } from './end-mark.ts'

/** What a block writes, from the engine's connection to the reader, and whether all of it arrived. */
export class BlockOutput {
  readonly #io: BlockIo
  readonly #marks: Readonly<Record<StreamName, EndMark>>
  /** When something was last seen, on the clock of `performance.now`. */
  #seenAt = performance.now()
  /** How many chunks our own reader has not taken yet. */
  #heldCount = 0

  constructor(runId: string, io: BlockIo) {
    this.#io = io
    this.#marks = { stdout: new EndMark(runId), stderr: new EndMark(runId) }
  }

  /** Whether both streams came to their end. */
  get isWhole(): boolean {
    return this.#marks.stdout.note !== undefined && this.#marks.stderr.note !== undefined
  }

  /** Whether the block was asked to end before it did. */
  get wasStopped(): boolean {
    return this.#marks.stdout.note?.wasStopped ?? true
  }

  get outOfMemory(): boolean {
    return this.#marks.stderr.note?.outOfMemory ?? false
  }

  /** How long nothing has come although we were listening, in milliseconds. */
  get quietMs(): number {
    return this.#heldCount > 0 ? 0 : performance.now() - this.#seenAt
  }

  /** Takes everything up to the connection's end, however it ends. */
  async read(process: BackendProcess): Promise<void> {
    try {
      await process.read((stream, chunk) => {
        this.#seenAt = performance.now()
        const text = this.#marks[stream].push(chunk)
        const held = text.length === 0 ? undefined : this.#io.write(stream, text)
        return held === undefined ? undefined : this.#whileHeld(held)
      })
    } catch {
      // Out of step: then the marks are missing.
    }
  }

  async #whileHeld(held: Promise<void>): Promise<void> {
    this.#heldCount++
    await held
    this.#heldCount--
    this.#seenAt = performance.now()
  }
}
