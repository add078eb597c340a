import type { ExecutorCapabilities } from '@fenced/core'
import { executorFacts } from '../agent/executor-facts.ts'

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
