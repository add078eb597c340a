import type { ExecutorCapabilities } from '@fenced/core'
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
