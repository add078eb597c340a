import { createInterface } from 'node:readline/promises'
import type { ApproveNetwork, NetworkApprovalAnswer } from '@fenced/core'
import { errorMessage } from '@fenced/core/internal'
import { visible } from '@fenced/core/text'
import { openTerminal } from '../open-terminal.ts'
import { UserError } from '../user-error.ts'

const denial: NetworkApprovalAnswer = { decision: 'deny', reason: 'a person denied it', remember: 'run' }

/** Denials last until the end of the run: a client that tries again does not repeat the question. */
const answers = new Map<string, NetworkApprovalAnswer>([
  ['y', { decision: 'allow' }],
  ['yes', { decision: 'allow' }],
  ['a', { decision: 'allow', remember: 'run' }],
  ['n', denial],
  ['no', denial],
])

/** Asks the person at the terminal about connections, one after the other. */
export class TerminalQuestions implements Disposable {
  readonly #input: NodeJS.ReadStream
  readonly #lines
  #last: Promise<unknown> = Promise.resolve()

  /**
   * @param isStdinTaken - whether standard input is the text that is run.
   * @throws UserError without a terminal.
   */
  constructor(options: { readonly isStdinTaken: boolean }) {
    const input = openTerminal(options)
    if (input instanceof Error) throw noTerminal(input)
    this.#input = input
    // Not in raw mode: Ctrl-C stays a signal.
    this.#lines = createInterface({ input: this.#input, output: process.stderr, terminal: false })
  }

  readonly approve: ApproveNetwork = (request, { signal }) => {
    const answer = this.#last.then(() => this.#ask(request.question, signal))
    this.#last = answer.catch(() => {})
    return answer
  }

  /** Waits until no question stands: what programs print meanwhile would be in its line. */
  async allAnswered(): Promise<void> {
    let last: Promise<unknown>
    do {
      last = this.#last
      await last
    } while (last !== this.#last)
  }

  /** Any other text decides nothing, and the question is asked again. */
  async #ask(question: string, signal: AbortSignal): Promise<NetworkApprovalAnswer> {
    const prompt = `fenced: ${visible(question)} [y] once, [a] in this run, [n] no: `
    for (;;) {
      signal.throwIfAborted()
      const line = await this.#lines.question(prompt, { signal })
      const answer = answers.get(line.trim().toLowerCase())
      if (answer !== undefined) return answer
    }
  }

  [Symbol.dispose](): void {
    this.#lines.close()
    this.#input.destroy()
  }
}

function noTerminal(cause: Error): UserError {
  return new UserError(
    `--network ask needs a terminal, and there is none: ${errorMessage(cause)}. Name the hosts instead.`,
  )
}
