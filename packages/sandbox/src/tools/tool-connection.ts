import type { BlockTools } from '@fenced/core/driver'

const newline = 0x0a

/**
 * The calls of one program, as lines, and the answers to them. What the program sends is bounded before it is a message. What it
 * does not take is bounded by who sends it.
 */
export class ToolConnection {
  readonly #tools: BlockTools
  readonly #send: (line: string) => void
  #line: Buffer[] = []
  #length = 0
  /** Whether what comes belongs to a line that was refused. */
  #isTooLong = false
  #isEnded = false

  constructor(tools: BlockTools, send: (line: string) => void) {
    this.#tools = tools
    this.#send = send
  }

  receive(chunk: Uint8Array): void {
    let begin = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, begin)) {
      this.#add(chunk.subarray(begin, end))
      this.#endLine()
      begin = end + 1
    }
    this.#add(chunk.subarray(begin))
  }

  /** Called at the end of the program, after which answers are discarded. */
  end(): void {
    this.#isEnded = true
  }

  #add(part: Uint8Array): void {
    if (part.length === 0 || this.#isTooLong) return
    this.#length += part.length
    this.#isTooLong = this.#length > this.#tools.maxMessageBytes
    if (this.#isTooLong) this.#line = []
    // The chunk's memory is used again.
    else this.#line.push(Buffer.from(part))
  }

  #endLine(): void {
    const message = this.#isTooLong ? undefined : Buffer.concat(this.#line).toString()
    this.#line = []
    this.#length = 0
    this.#isTooLong = false
    void this.#tools.answer(message).then((line) => {
      if (!this.#isEnded) this.#send(`${line}\n`)
    })
  }
}
