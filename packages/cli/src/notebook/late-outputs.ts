import type { CodeResult, Execution, Notice } from '@fenced/core'
import type { CellOutputs } from './cell-outputs.ts'

/** Waits for threads that keep a Python program going, as Python does at its end, for up to 2 s, and leaves no name behind. */
export const waitForThreads = [
  '(lambda threading, sys, now, end: (',
  '    [each.join(max(0, end - now())) for each in threading.enumerate() if each is not threading.current_thread() and not each.daemon],',
  '    sys.stdout.flush(), sys.stderr.flush()',
  ')[:0])(*map(__import__, ("threading", "sys")), __import__("time").monotonic, __import__("time").monotonic() + 2);',
].join('\n')

/** Gives output that a cell wrote after its end to that cell. */
export class LateOutputs {
  #ran: number
  #cells: CellOutputs[] = []

  /** @param ran - how many cells ran in the kernel before the first one. */
  constructor(ran: number) {
    this.#ran = ran
  }

  /** Takes the events of the next cell. */
  async collect(execution: Execution, outputs: CellOutputs): Promise<CodeResult> {
    this.#cells.push(outputs)
    for await (const event of execution) outputs.take(event)
    for (const notice of outputs.notices) {
      if (notice.code === 'late-output') this.#add(notice, outputs)
      if (notice.code === 'state-lost') this.#beginAgain()
    }
    return execution
  }

  /** A new kernel counts its cells from 1. */
  #beginAgain(): void {
    this.#ran = 0
    this.#cells = []
  }

  #add({ message, data = {} }: Notice, current: CellOutputs): void {
    const { cell, output = '', bytes } = data
    const writer = this.#cells[Number(cell) - this.#ran - 1]
    if (writer === undefined) {
      current.write('stderr', `fenced: ${message}\n`)
      return
    }
    writer.write('stdout', output)
    const isCut = Buffer.byteLength(output) < Number(bytes)
    if (isCut)
      writer.write('stderr', `fenced: The cell wrote ${bytes} bytes after its end. This is the beginning.\n`)
  }
}
