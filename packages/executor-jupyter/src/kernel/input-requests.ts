import type { BlockTools, ReadLine } from '@fenced/core/driver'
import type { KernelMessage } from '../protocol/message.ts'
import { CellTools } from '../tools/cell-tools.ts'
import type { Requests } from './requests.ts'

/** What ipykernel takes for the end of the input. */
const endOfInput = '\u0004'

/** Requests for input: lines that a program reads, and calls of host tools. */
export class InputRequests {
  readonly #requests: Requests
  /** Tools of the last cell that had some. They refuse calls that come after the end of the cell. */
  #tools: CellTools | undefined

  constructor(requests: Requests) {
    this.#requests = requests
  }

  /** Answers tool calls of the next cell. @returns the code to run silently before that cell. */
  answerCalls(tools: BlockTools): string {
    this.#tools = new CellTools(tools, (content) => this.#requests.sendInput(content), this.#tools)
    return this.#tools.setup
  }

  /** @param readLine - of the cell that sent the request. */
  take({ content }: KernelMessage, readLine: ReadLine | undefined): void {
    if (this.#tools?.take(content) === true || readLine === undefined) return
    const { prompt = '', password } = content
    readLine({ prompt: String(prompt), isSecret: password === true })
      .then((line) => this.#requests.sendInput({ value: line ?? endOfInput }))
      // The block is being stopped, or the kernel is unreachable.
      .catch(() => {})
  }
}
