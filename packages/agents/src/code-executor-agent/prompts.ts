import type { CodeResult, ExecutorCapabilities } from '@fenced/core'
import { bytesLeftOutOf } from '@fenced/core/internal'
import { boundedText } from '@fenced/core/tool'
import { executorFacts } from '../agent/code-instructions.ts'

/**
 * Instructions for the model of a CodeExecutorAgent.
 *
 * @param capabilities - of its executor; without them only what is true of all executors is named.
 */
export function codeExecutorMessage(capabilities?: ExecutorCapabilities): string {
  const { labels, state, others } = executorFacts(capabilities)
  return `You write programs and read what they print.

When a task needs a program, put a whole one into a fenced code block that is labelled with its language: ${labels}. It is run as it stands: nobody fills anything in or types into it, and you are shown its output. Print what you need to know. Think of what can go wrong with the input.

${['About the executor in which programs run:', state, ...others].join('\n- ')}

When no program is needed, answer without a code block. After a program you are asked for the outcome: state it plainly, with what it rests on.`
}

/** The instructions where nothing is known of the executor. */
export const defaultSystemMessage: string = codeExecutorMessage()

/** The description of an agent that writes code itself. */
export const agentDescription =
  'Writes programs for what it is asked, runs them, corrects them when they fail, and reports the outcome.'

/** The description of an agent that only runs code. */
export const terminalDescription =
  'A computer that runs programs which are given to it in labelled code blocks, and does nothing else.'

/** The answer of an agent without a model to messages without code. */
export const noCodeBlocksFound =
  'No code blocks found in the thread. Send at least one program in a fenced code block that is labelled with its language, such as ```python or ```sh.'

/** The question after the last program. */
export const reflectionQuestion =
  'State the outcome for the one who gave the task. Do not send another program.'

/** What a model reads of a result: AutoGen's words for a script that ran, others for one that did not, or not to its end. */
export function resultText(result: CodeResult, maxLength: number): string {
  const { output, exitCode, status, blocks } = result
  const shown = boundedText(output, { maxLength, bytesLeftOut: bytesLeftOutOf(result) })
  if (status === 'denied') return shown
  const outcome = `POSIX exit code: ${exitCode}${status === 'error' ? '' : `, status: ${status}`}`
  const unfinished = howItStopped(result)
  if (unfinished !== undefined) return `${unfinished} (${outcome})\nIts output was:\n${shown}`
  const printed = blocks.flatMap((block) => (block.status === 'skipped' ? [] : block.output))
  if (printed.length > 0 && printed.join('').trim() === '') {
    return `${shown.trim() === '' ? '' : `${shown.trim()}\n`}The script ran but produced no output to console. The POSIX exit code was: ${exitCode}. If output was expected, print it.`
  }
  if (exitCode === 0) return shown
  return `The script ran, then exited with an error (${outcome})\nIts output was:\n${shown}`
}

/** For a script of which it would be wrong to say that it ran. */
function howItStopped({ status, blocks }: CodeResult): string | undefined {
  const hasBegun = blocks.some((block) => block.status !== 'invalid' && block.status !== 'skipped')
  switch (status) {
    case 'invalid':
      return hasBegun
        ? 'The script ran up to a block that cannot be run as it stands'
        : 'The script was not run: it cannot be run as it stands'
    case 'cancelled':
      return hasBegun
        ? 'The script was cancelled before its end'
        : 'The script was cancelled before it was run'
    case 'died':
      return 'The executor of the script failed, so how far the script came is not known'
    default:
      return undefined
  }
}
