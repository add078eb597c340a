import { createInterface } from 'node:readline/promises'
import { visible } from '@fenced/core/text'
import { openTerminal } from '../open-terminal.ts'

const answers: Readonly<Record<string, boolean>> = { y: true, yes: true, n: false, no: false }

/** Context of {@link terminalQuestion}. */
export interface TerminalQuestionContext {
  readonly signal: AbortSignal
  /** Whether standard input is the text that is run. */
  readonly isStdinTaken: boolean
}

/** Returns a function that asks the person at the terminal a question with the answers yes and no; `undefined` without a terminal. */
export function terminalQuestion(
  context: TerminalQuestionContext,
): ((question: string) => Promise<boolean>) | undefined {
  return process.stderr.isTTY ? (question) => ask(question, context) : undefined
}

/** Asks again after any other word. The end of the input, and a terminal that cannot be read, mean no. */
async function ask(question: string, { signal, isStdinTaken }: TerminalQuestionContext): Promise<boolean> {
  const input = openTerminal({ isStdinTaken })
  if (input instanceof Error) return false
  // Not in raw mode: Ctrl-C stays a signal.
  const lines = createInterface({ input, output: process.stderr, terminal: false })
  const closed = new AbortController()
  lines.once('close', () => closed.abort())
  const either = AbortSignal.any([signal, closed.signal])
  try {
    for (;;) {
      const line = await lines.question(`fenced: ${visible(question)} [y] yes, [n] no: `, { signal: either })
      const answer = answers[line.trim().toLowerCase()]
      if (answer !== undefined) return answer
    }
  } catch (error) {
    signal.throwIfAborted()
    if (closed.signal.aborted) return false
    throw error
  } finally {
    lines.close()
    if (input === process.stdin) input.pause()
    else input.destroy()
  }
}
