import type { MimeBundle } from '@fenced/core'
import type { BlockIo, ResultOptions } from '@fenced/core/driver'
import { DisplayNames } from './display-names.ts'

/** A result as a kernel or session shows it. */
export interface ShownResult {
  readonly data: MimeBundle
  readonly metadata?: unknown
  /** Id of the display, which later results can update. */
  readonly displayId?: unknown
  readonly executionCount?: number | undefined
  /** Whether it changes displays that are shown, instead of being a new one. */
  readonly isUpdate?: boolean | undefined
}

/** The results of one cell: displays that are updated, and output that is cleared at once or before the next output. */
export class ShownResults {
  readonly #io: Pick<BlockIo, 'result' | 'clear'>
  readonly #displays = new DisplayNames()
  #clearBeforeNext = false

  constructor(io: Pick<BlockIo, 'result' | 'clear'>) {
    this.#io = io
  }

  /** Returns a promise when the reader of the output is behind. */
  show({ data, metadata, displayId, ...kind }: ShownResult): void | Promise<void> {
    // As in Jupyter: an update changes an output that is shown, and only a new output carries out a waiting clear.
    if (kind.isUpdate !== true) this.beforeOutput()
    const hints = Object.keys(Object(metadata)).length === 0 ? {} : { metadata: metadata as MimeBundle }
    const rooms = this.#namesOf(displayId, kind).map((name) => {
      const named = name === undefined ? {} : { displayId: name }
      return this.#io.result(data, { ...named, ...hints, ...kind })
    })
    return rooms.at(-1)
  }

  /** @param waits - clears before the next output, so that the old output stays until then. */
  clear(waits: boolean): void {
    if (waits) this.#clearBeforeNext = true
    else this.#clear()
  }

  /** Called before something is written. */
  beforeOutput(): void {
    if (this.#clearBeforeNext) this.#clear()
  }

  #namesOf(
    displayId: unknown,
    { isUpdate }: Pick<ResultOptions, 'isUpdate'>,
  ): readonly (string | undefined)[] {
    if (typeof displayId !== 'string') return [undefined]
    return isUpdate === true ? this.#displays.shown(displayId) : [this.#displays.add(displayId)]
  }

  #clear(): void {
    this.#clearBeforeNext = false
    this.#displays.clear()
    this.#io.clear()
  }
}
