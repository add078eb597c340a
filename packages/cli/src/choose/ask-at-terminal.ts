import { FencedError } from '@fenced/core'
import { visible } from '@fenced/errors/text'
import { TerminalLines } from '../terminal-lines.ts'

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

/** The end of the input, and a terminal that cannot be read, mean no. */
async function ask(question: string, { signal, isStdinTaken }: TerminalQuestionContext): Promise<boolean> {
  const lines = TerminalLines.open({ isStdinTaken })
  if (lines instanceof Error) return false
  using _ = lines
  const read = (line: string) => yesOrNo.get(line.toLowerCase())
  try {
    return await lines.answer(`fenced: ${visible(question)} [y] yes, [n] no: `, { read, signal })
  } catch (error) {
    signal.throwIfAborted()
    if (FencedError.isInstance(error)) return false
    throw error
  }
}

const yesOrNo = new Map([
  ['y', true],
  ['yes', true],
  ['n', false],
  ['no', false],
])
