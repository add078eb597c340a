import { stripVTControlCharacters, types } from 'node:util'
import type { KernelMessage } from '../protocol/message.ts'
import type { CellEnd } from './cell.ts'
import type { CellIo } from './cell-output.ts'

/** Number of ended cells that are remembered. */
const mostCells = 256

/** Number of cells whose late output can wait for its report. */
const mostWaiting = 16

/** Length of the text that is kept per cell, in UTF-16 code units. */
const mostText = 2_000

interface Late {
  text: string
  byteCount: number
}

/**
 * Output that arrives after the end of its cell, from a thread, a task or a process that the cell has left. It never belongs to a
 * later cell, so it becomes a notice with the number of the cell that wrote it.
 */
export class LateOutput {
  /** Numbers of the cells, by request id, oldest first. */
  readonly #numbers = new Map<string, number | undefined>()
  readonly #late = new Map<string, Late>()

  /** Remembers a cell, and reports late output of earlier cells. */
  cellEnded({ id, end, io }: { readonly id: string; readonly end: CellEnd; readonly io: CellIo }): void {
    for (const [earlier, late] of this.#late) this.#report(this.#numbers.get(earlier), late, io)
    this.#late.clear()
    this.#numbers.set(id, end.kind === 'done' ? end.number : undefined)
    const [oldest] = this.#numbers.keys()
    if (this.#numbers.size > mostCells && oldest !== undefined) this.#numbers.delete(oldest)
  }

  /** Takes a message of `iopub` that is not of the running cell. */
  take({ header, parent, content }: KernelMessage): void {
    const id = parent.msg_id
    if (id === undefined || !this.#numbers.has(id)) return
    const written = writtenIn(header.msg_type, content)
    if (written === undefined) return
    const late = this.#late.get(id) ?? { text: '', byteCount: 0 }
    if (this.#late.size >= mostWaiting && !this.#late.has(id)) return
    this.#late.set(id, late)
    late.byteCount += Buffer.byteLength(written)
    const room = mostText - late.text.length
    if (room > 0) late.text += text(written).slice(0, room)
  }

  #report(number: number | undefined, { text: output, byteCount }: Late, io: CellIo): void {
    const which = number === undefined ? 'An earlier cell' : `The earlier cell In[${number}]`
    const part = output.length < mostText ? 'Output' : 'The output begins with'
    io.notice({
      code: 'late-output',
      message: `${which} left a thread, task or process that wrote ${byteCount} bytes after the cell had ended. These bytes are not part of this block’s output. ${part}:\n${output}`,
      data: { ...(number === undefined ? {} : { cell: String(number) }), bytes: String(byteCount), output },
    })
  }
}

/** The text that a message shows; `undefined` for a message without a text. */
function writtenIn(type: string, content: KernelMessage['content']): string | Uint8Array | undefined {
  if (type === 'stream') {
    return types.isUint8Array(content.text) || typeof content.text === 'string' ? content.text : undefined
  }
  if (type === 'error') return `${content.ename}: ${content.evalue}\n`
  if (type !== 'display_data' && type !== 'execute_result') return undefined
  const shown = Object(content.data)['text/plain']
  return typeof shown === 'string' ? `${shown}\n` : '(a result without text)\n'
}

function text(written: string | Uint8Array): string {
  // A text of a few characters is a part of a mebibyte.
  const whole =
    typeof written === 'string' ? written : Buffer.from(written.subarray(0, 4 * mostText)).toString()
  return stripVTControlCharacters(whole)
}
