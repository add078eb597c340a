import type { CodeResult, Notice } from '@fenced/core'
import { note } from '../run/output-printer.ts'

/** What the command says on standard error about a notebook. */
export class NotebookMessages {
  readonly #cells: number
  #ran = 0

  /** @param cells - how many cells have code. */
  constructor(cells: number) {
    this.#cells = cells
  }

  /** A start that takes long, as of an image that is built, says so. */
  notice(notice: Notice): void {
    void note(notice.message)
  }

  /** @param number - of the cell, as its notebook and its tracebacks have it. */
  async ended(number: number, { status, exitCode, blocks }: CodeResult): Promise<void> {
    this.#ran += 1
    if (status === 'ok') return this.#progress()
    const { error } = blocks[0] ?? {}
    const what = status === 'error' ? `ended with exit code ${exitCode}` : `ended: ${status}`
    const [line] = error === undefined ? [] : `${error.name}: ${error.message}`.split('\n')
    await note(`Cell ${number} ${what}${line === undefined ? '' : ` (${line})`}.`)
  }

  /** @param path - of what was written; `-` for standard output. */
  async written(path: string, isOver: boolean): Promise<void> {
    const rest = this.#cells - this.#ran
    if (isOver && rest > 0)
      await note(
        `${rest} of ${this.#cells} cells were not run. --allow-errors runs the cells after a failure.`,
      )
    if (path !== '-' && (isOver || process.stderr.isTTY)) await note(`${path} was written.`)
  }

  /** A person sees the progress; a program reads only what went wrong. */
  async #progress(): Promise<void> {
    if (process.stderr.isTTY) await note(`${this.#ran} of ${this.#cells} cells ran.`)
  }
}
