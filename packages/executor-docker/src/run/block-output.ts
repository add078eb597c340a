import type { Duplex } from 'node:stream'
import type { BlockIo, StreamName } from '@fenced/core/driver'
import { Demultiplexer } from '@fenced/docker-engine'
import { EndMark } from './end-mark.ts'

/** What a block writes, from the engine's connection to the reader, and whether all of it arrived. */
export class BlockOutput {
  readonly #io: BlockIo
  readonly #marks: Readonly<Record<StreamName, EndMark>>
  /** When something was last seen, on the clock of `performance.now`; `Infinity` while our own reader is behind. */
  #seenAt = performance.now()

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
    return performance.now() - this.#seenAt
  }

  /** Takes everything up to the connection's end, however it ends. */
  async read(connection: Duplex): Promise<void> {
    let held: void | Promise<void>
    const demultiplexer = new Demultiplexer((stream, chunk) => {
      const text = this.#marks[stream].push(chunk)
      if (text.length > 0) held = this.#io.write(stream, text) ?? held
    })
    try {
      for await (const chunk of connection) {
        held = undefined
        demultiplexer.push(chunk)
        this.#seenAt = Infinity
        await held
        this.#seenAt = performance.now()
      }
    } catch {
      // Cut or out of step: then the marks are missing.
    }
  }
}
