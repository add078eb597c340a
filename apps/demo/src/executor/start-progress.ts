import { visible } from '@fenced/agents/terminal'
import type { Notice } from '@fenced/core'

/** How long a log hears nothing of something that goes on, in milliseconds. */
const pauseMs = 10_000

/** Where it is shown: the standard error of a terminal, or a log. */
export type ProgressOutput = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'isTTY'>

/**
 * Shows how the start of an executor goes. On a terminal each kind of notice has a line that the next of its kind
 * replaces; a log gets the first and the last of each, and a sign of life in between.
 */
export class StartProgress implements Disposable {
  readonly #output: ProgressOutput
  #code: string | undefined
  /** What a log has not got yet. */
  #held: string | undefined
  #writtenAt = Number.NEGATIVE_INFINITY

  constructor(output: ProgressOutput) {
    this.#output = output
    if (output.isTTY) output.write('Starting ...')
  }

  take({ code, message }: Notice): void {
    if (this.#code !== undefined && this.#code !== code) this.#endLine()
    this.#code = code
    const line = visible(message.replaceAll(/\s*\n\s*/g, ' '))
    if (this.#output.isTTY) this.#output.write(`${eraseLine}${this.#cut(line)}`)
    else this.#log(line)
  }

  [Symbol.dispose](): void {
    if (this.#code !== undefined) this.#endLine()
    // What follows stands apart.
    if (this.#output.isTTY) this.#output.write(this.#code === undefined ? eraseLine : '\n')
  }

  #endLine(): void {
    if (this.#output.isTTY || this.#held !== undefined) this.#output.write(`${this.#held ?? ''}\n`)
    this.#held = undefined
    this.#writtenAt = Number.NEGATIVE_INFINITY
  }

  #log(line: string): void {
    if (performance.now() - this.#writtenAt < pauseMs) {
      this.#held = line
      return
    }
    this.#output.write(`${line}\n`)
    this.#held = undefined
    this.#writtenAt = performance.now()
  }

  /** A line that wraps cannot be replaced, also by a `^C`. How far something has come stands at its end. */
  #cut(line: string): string {
    const width = (this.#output.columns || 80) - 3
    if (line.length <= width) return line
    const head = Math.floor((width - 3) * 0.4)
    return `${line.slice(0, head)}...${line.slice(head + 3 - width)}`
  }
}

const eraseLine = '\r\u001B[K'
