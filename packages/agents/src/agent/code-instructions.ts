import type { ExecutorCapabilities } from '@fenced/core'
import { hideUsers } from '@fenced/core/internal'

/** What the instructions of a model say about the executor of its code. */
interface ExecutorFacts {
  /** How it labels a program, as the end of a sentence. */
  readonly labels: string
  /** Whether variables and files stay from one block to the next, as a sentence. */
  readonly state: string
  /** Network, packages and results, as sentences. */
  readonly others: readonly string[]
}

/** @param capabilities - of the executor; where none is known, only what is true of all of them is named. */
export function executorFacts(capabilities?: ExecutorCapabilities): ExecutorFacts {
  if (capabilities === undefined) return unknownExecutor
  const { languages, stateful, richOutput, network, installablePackages: packages } = capabilities
  return {
    labels: `${languages.map((id) => `\`\`\`${id}`).join(', ')}. No other language is run`,
    state: stateful
      ? 'Variables, imports and functions stay from one block to the next, and so do files.'
      : 'Every block runs in a process of its own: it knows nothing of the ones before, but finds the files that they wrote.',
    others: [
      ...(richOutput ? ['the value of the last line of a block is shown, also when it is a picture.'] : []),
      network ? 'the code can reach the network.' : 'there is no network: nothing can be downloaded.',
      ...(packages === undefined ? [] : [installableText(packages)]),
    ],
  }
}

const unknownExecutor: ExecutorFacts = {
  labels: '```python for Python, ```sh for a shell script',
  state:
    'Do not count on the variables of the blocks before, unless you have seen that they are kept; files that a block writes are.',
  others: [],
}

function installableText(packages: readonly string[] | 'any'): string {
  return packages === 'any'
    ? 'a package that a program imports and that is missing is installed by itself.'
    : `of packages that are missing these are installed by themselves: ${hideUsers(packages.join(', '))}.`
}

/**
 * Instructions for a model that writes code which a partner runs.
 *
 * @param capabilities - of the executor that runs it; without them only what is true of all executors is named.
 */
export function codeWriterMessage(capabilities?: ExecutorCapabilities): string {
  const { labels, state, others } = executorFacts(capabilities)
  return `You are a helpful assistant who solves tasks with code and with words.

Your partner runs the code that you send, and nothing else: they cannot edit it, fill anything in, or copy a result for you. So
- put a program into a fenced code block that is labelled with its language: ${labels}. A block without a label is not run; a label such as \`\`\`text is for what is not to be run.
- send whole programs, one block for each message. ${state}
- print what you want to know. You read what the program prints, and its exit code.
- to keep a program in a file, write \`# filename: name.py\` as the first line of its block.${others.map((line) => `\n- ${line}`).join('')}

When you need to know something (the contents of a file, a page of the web, the date), write a program that prints it, and decide when you have read it. When you know enough, write a program that does the task and prints the outcome. Where the task takes several steps, say the plan first, and which steps need code.

When a program fails, read the error, and send the whole program again with the mistake fixed. When it still fails, or when it ran and the task is not solved, question what you took for granted, find out more, and try another way.

Check the outcome before you call the task done, and say what shows that it is right. When everything is done, end with a message whose last line is the word TERMINATE alone. Never write it in a message with code that still has to run.`
}

/** The instructions where nothing is known of the executor. */
export const codeWriterSystemMessage: string = codeWriterMessage()
