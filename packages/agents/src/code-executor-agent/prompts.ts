import type { CodeResult, ExecutorCapabilities } from '@fenced/core'
import { bytesLeftOutOf, withLosses } from '@fenced/core/internal'
import { boundedText } from '@fenced/core/tool'
import { executorFacts } from '../agent/code-instructions.ts'

/**
 * Instructions for the model of a CodeExecutorAgent.
 *
 * @param capabilities - Capabilities of its executor. Default: only facts about all executors.
 */
export function codeExecutorMessage(capabilities?: ExecutorCapabilities): string {
  const { labels, state, others } = executorFacts(capabilities)
  return `You write programs and read what they print.

When a task needs a program, put a complete program into a fenced code block labeled with its language: ${labels}. The program runs unchanged: use no placeholders and no interactive input. You read its output, so print what you need to know. Consider what can go wrong with the input.

${['About the executor that runs your programs:', state, ...others].join('\n- ')}

When no program is needed, answer without a code block. After a program, state the outcome plainly, with the evidence.`
}

/** Instructions for an unknown executor. */
export const defaultSystemMessage: string = codeExecutorMessage()

export const agentDescription =
  'Writes and runs programs for a task, corrects them when they fail, and reports the outcome.'

export const terminalDescription = 'A computer that only runs programs in labeled code blocks.'

/** The answer of an agent without a model to messages without code. */
export const noCodeBlocksFound =
  'No code blocks found in the thread. Send at least one program in a fenced code block that is labeled with its language, such as ```python or ```sh.'

export const reflectionQuestion = 'State the outcome for the user. Do not send another program.'

/** Text of a result for the model, with the notices that report a loss. */
export function resultText(result: CodeResult, maxLength: number): string {
  const notices = result.blocks.flatMap((block) => block.notices)
  return withLosses(outcomeText(result, maxLength), notices)
}

/** AutoGen's words for a script that ran to its end, and ours otherwise. */
function outcomeText(result: CodeResult, maxLength: number): string {
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
        ? 'The script ran up to a block that cannot run'
        : 'The script was not run: it contains a block that cannot run'
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
