import { randomBytes } from 'node:crypto'
import type { BlockTools } from '@fenced/core/driver'
import { ToolConnection, toolModule } from '@fenced/sandbox/driver'
import type { KernelMessage } from '../protocol/message.ts'
import { pythonCall } from '../python-source.ts'

type Content = KernelMessage['content']

/** Length of a part of an answer: a server rejects messages above 10 MiB. */
const partLength = 2 ** 20

/** Limit of unsent answers before calls wait, in characters. A short answer has a least weight. */
const mostUnsent = 64 * 2 ** 20
const leastWeight = 4_096

/** Limit of waiting calls, in bytes. More calls are dropped: only a program that takes no answers sends them. */
const mostHeld = 16 * 2 ** 20

/** Tool calls of one cell, which arrive as requests for input, and their answers. Calls are untrusted. */
export class CellTools {
  /** Run silently before the cell. */
  readonly setup: string
  readonly #token = randomBytes(16).toString('hex')
  readonly #connection: ToolConnection
  readonly #reply: (content: Content) => Promise<void>
  #sent: Promise<void>
  #unsent = 0
  /** Whether unsent answers are no longer needed. */
  #isDropped = false
  #held: Buffer[] = []
  #heldBytes = 0

  /**
   * @param reply - sends an answer, and resolves when it was sent.
   * @param previous - the calls of the cell before, because one answer is sent at a time.
   */
  constructor(tools: BlockTools, reply: (content: Content) => Promise<void>, previous?: CellTools) {
    this.#sent = previous?.drop() ?? Promise.resolve()
    this.setup = pythonCall('tool_bridge', [this.#token, toolModule(tools)])
    this.#connection = new ToolConnection(tools, (line) => this.#answer(line))
    this.#reply = reply
  }

  /** Takes the content of an `input_request`. @returns whether it is one of this cell's calls. */
  take({ prompt, calls }: Content): boolean {
    if (prompt !== this.#token || typeof calls !== 'string') return false
    const bytes = Buffer.from(calls, 'latin1')
    if (this.#heldBytes + bytes.length <= mostHeld) {
      this.#held.push(bytes)
      this.#heldBytes += bytes.length
      this.#receive()
    }
    return true
  }

  /** Drops unsent answers. Resolves when the last answer was sent. */
  drop(): Promise<void> {
    this.#isDropped = true
    return this.#sent
  }

  #receive(): void {
    while (this.#unsent <= mostUnsent) {
      const bytes = this.#held.shift()
      if (bytes === undefined) return
      this.#heldBytes -= bytes.length
      this.#connection.receive(bytes)
    }
  }

  #answer(line: string): void {
    const text = inAscii(line)
    const weight = Math.max(text.length, leastWeight)
    this.#unsent += weight
    this.#sent = this.#sent.then(async () => {
      // An unreachable kernel takes no answers.
      await this.#send(text).catch(() => {})
      this.#unsent -= weight
      this.#receive()
    })
  }

  async #send(text: string): Promise<void> {
    for (let at = 0; at < text.length && !this.#isDropped; at += partLength)
      await this.#reply({ value: text.slice(at, at + partLength), token: this.#token })
  }
}

/** Escapes JSON to ASCII, so that a part can end at any character. */
function inAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
