import type { ExecutorCapabilities } from '@fenced/core'
import { stateText } from '@fenced/core/internal'
import { hideUsers } from '@fenced/shared'

interface ExecutorFacts {
  /** How it labels a program, as the end of a sentence. */
  readonly labels: string
  /** Whether variables and files stay from one block to the next, as a sentence. */
  readonly state: string
  readonly others: readonly string[]
}

/** @param capabilities - Capabilities of the executor. Default: only facts about all executors. */
function executorFacts(capabilities?: ExecutorCapabilities): ExecutorFacts {
  if (capabilities === undefined) return unknownExecutor
  const { languages, richOutput, network, installablePackages: packages } = capabilities
  return {
    labels: `${languages.map((id) => `\`\`\`${id}`).join(', ')}. Code in other languages does not run`,
    state: stateText(capabilities),
    others: [
      ...(richOutput
        ? ['the value of the last line of a block is part of its output, including pictures.']
        : []),
      network === 'none'
        ? 'there is no network: nothing can be downloaded.'
        : 'the code can reach the network.',
      ...(packages === undefined ? [] : [installableText(packages)]),
    ],
  }
}

const unknownExecutor: ExecutorFacts = {
  labels: '```python for Python, ```sh for a shell script',
  state: 'Do not rely on variables of earlier blocks unless you have seen that they persist. Files persist.',
  others: [],
}

function installableText(packages: readonly string[] | 'any'): string {
  return packages === 'any'
    ? 'a missing package is installed automatically when a program imports it.'
    : `these packages are installed automatically if they are missing: ${hideUsers(packages.join(', '))}.`
}

/**
 * Returns instructions for a model that writes code which a partner runs: the system message of an `AssistantAgent`.
 *
 * @param capabilities - Capabilities of the executor that runs it. Without them, the text has only facts about all executors.
 */
export function codeWriterMessage(capabilities?: ExecutorCapabilities): string {
  const { labels, state, others } = executorFacts(capabilities)
  return `You are a helpful assistant who solves tasks with code and with words.

Your partner only runs the code that you send, and cannot edit it, fill anything in, or copy a result for you. Therefore:
- put each program into a fenced code block labeled with its language: ${labels}. A block without a label does not run; use a label such as \`\`\`text for text that must not run.
- send complete programs, one block per message. ${state}
- print what you want to know. You read the output of the program, and its exit code.
- to save a program in a file, write \`# filename: name.py\` as the first line of its block.${others.map((line) => `\n- ${line}`).join('')}

When you need information (the contents of a file, a web page, the date), write a program that prints it, and decide after you have read it. When you know enough, write a program that does the task and prints the outcome. If the task takes several steps, state the plan first, and which steps need code.

When a program fails, read the error, and send the complete program again with the mistake fixed. If it fails again, or if it ran and the task is not solved, question your assumptions, find out more, and try a different approach.

Check the outcome before you call the task done, and state the evidence. When everything is done, end with a message whose last line is only the word TERMINATE. Never write it in a message with code that still has to run.`
}

/** Instructions for an unknown executor. */
export const codeWriterSystemMessage: string = codeWriterMessage()

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
