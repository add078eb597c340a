import { openSync } from 'node:fs'
import { createInterface, type Interface } from 'node:readline/promises'
import { ReadStream } from 'node:tty'
import { FencedError } from '@fenced/core'

/** How the lines after a question are read. */
export interface Reading<Answer> {
  /** Returns the answer; `undefined` for a line that is none. */
  readonly read: (line: string) => Answer | undefined
  readonly signal: AbortSignal
}

/** The terminal of the person who started this process, for questions. */
export class TerminalLines implements Disposable {
  readonly #input: ReadStream
  readonly #lines: Interface
  readonly #closed = new AbortController()

  private constructor(input: ReadStream) {
    this.#input = input
    // Not in raw mode: Ctrl-C stays a signal.
    this.#lines = createInterface({ input, output: process.stderr, terminal: false })
    this.#lines.once('close', () => this.#closed.abort(endOfInput()))
  }

  /**
   * Opens standard input if it is a terminal and not in use, otherwise the terminal of the session. Returns the error without a
   * terminal.
   *
   * @param options - `isStdinTaken`: whether standard input is in use.
   */
  static open({ isStdinTaken }: { readonly isStdinTaken: boolean }): TerminalLines | Error {
    if (process.stdin.isTTY && !isStdinTaken) return new TerminalLines(process.stdin)
    try {
      return new TerminalLines(new ReadStream(openSync('/dev/tty', 'r')))
    } catch (error) {
      return error as Error
    }
  }

  /**
   * Asks again until `read` returns an answer for what was typed. The last line of the prompt is repeated then.
   *
   * Rejects with the reason of the signal, and with `HUMAN_INPUT_UNAVAILABLE` at the end of the input.
   */
  async answer<Answer>(prompt: string, { read, signal }: Reading<Answer>): Promise<Answer> {
    const either = AbortSignal.any([signal, this.#closed.signal])
    for (let shown = prompt; ; shown = prompt.slice(prompt.lastIndexOf('\n') + 1)) {
      either.throwIfAborted()
      const line = await this.#lines.question(shown, { signal: either }).catch((error: unknown) => {
        either.throwIfAborted()
        throw error
      })
      const answer = read(line.trim())
      if (answer !== undefined) return answer
    }
  }

  [Symbol.dispose](): void {
    this.#lines.close()
    if (this.#input === process.stdin) this.#input.pause()
    else this.#input.destroy()
  }
}

function endOfInput(): FencedError {
  return new FencedError({
    code: 'HUMAN_INPUT_UNAVAILABLE',
    message: 'The input of the terminal has ended, so the question has no answer.',
    data: { agent: 'fenced' },
  })
}
