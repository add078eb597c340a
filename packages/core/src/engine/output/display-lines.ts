import type { BlockOutput } from './block-output.ts'
import type { ByteRange } from './head-tail.ts'

interface DisplayLine {
  /** Place in the output, where it is known. */
  readonly line: ByteRange | undefined
  text: string
  isRedrawn: boolean
}

/** The lines of results in the output of a block. A display that is redrawn has one line, with its last state. */
export class DisplayLines {
  readonly #output: BlockOutput
  readonly #displays = new Map<string, DisplayLine>()

  constructor(output: BlockOutput) {
    this.#output = output
  }

  add(text: string | undefined, displayId: string | undefined): void {
    const shown = displayId === undefined ? undefined : this.#displays.get(displayId)
    if (shown !== undefined) {
      shown.isRedrawn ||= text !== shown.text
      shown.text = text ?? ''
    } else if (text !== undefined) {
      const line = this.#output.addLine(text)
      if (displayId !== undefined) this.#displays.set(displayId, { line, text, isRedrawn: false })
    }
  }

  clear(): void {
    this.#displays.clear()
  }

  /** Writes the last state of each display: in its line, or where that is not possible, after the output. */
  end(): void {
    const redrawn = [...this.#displays.values()].filter(({ isRedrawn }) => isRedrawn)
    if (redrawn.length > 0) this.#output.replaceLines(redrawn)
    this.#displays.clear()
  }
}
