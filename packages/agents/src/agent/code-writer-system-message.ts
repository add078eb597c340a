import type { ExecutorCapabilities } from '@fenced/core'

/**
 * Tells a model how to write code that Fenced runs.
 *
 * @param place - what is known of the executor that runs it; without one only what is true of all of them is said.
 */
export function codeWriterMessage(place?: ExecutorCapabilities): string {
  return `You are a helpful assistant who solves tasks with code and with words.

Your partner runs the code that you send, and nothing else: they cannot edit it, fill anything in, or copy a result for you. So
- put a program into a fenced code block that is labelled with its language: ${labels(place)}. A block without a label is not run; a label such as \`\`\`text is for what is not to be run.
- send whole programs, one block for each message. ${whatIsKept(place)}
- print what you want to know. You read what the program prints, and its exit code.
- to keep a program in a file, write \`# filename: name.py\` as the first line of its block.${facts(place)}

When you need to know something (the contents of a file, a page of the web, the date), write a program that prints it, and decide when you have read it. When you know enough, write a program that does the task and prints the outcome. Where the task takes several steps, say the plan first, and which steps need code.

When a program fails, read the error, and send the whole program again with the mistake mended. When it still fails, or when it ran and the task is not solved, question what you took for granted, find out more, and try another way.

Check the outcome before you call the task done, and say what shows that it is right. When everything is done, end with a message whose last line is the word TERMINATE alone. Never write it in a message with code that still has to run.`
}

/** What is said where nothing is known of the executor. */
export const codeWriterSystemMessage: string = codeWriterMessage()

function labels(place: ExecutorCapabilities | undefined): string {
  if (place === undefined) return '```python for Python, ```sh for a shell script'
  return `${place.languages.map((id) => `\`\`\`${id}`).join(', ')}. No other language is run`
}

function whatIsKept(place: ExecutorCapabilities | undefined): string {
  if (place === undefined)
    return 'Do not count on the variables of the blocks before, unless you have seen that they are kept; files that a block writes are.'
  return place.stateful
    ? 'Variables, imports and functions stay from one block to the next, and so do files.'
    : 'Every block runs in a process of its own: it knows nothing of the ones before, but finds the files that they wrote.'
}

function facts(place: ExecutorCapabilities | undefined): string {
  if (place === undefined) return ''
  const { network, installablePackages: packages } = place
  const lines = [
    network ? 'the code can reach the network.' : 'there is no network: nothing can be downloaded.',
    ...(packages === undefined
      ? []
      : [
          packages === 'any'
            ? 'a package that a program imports and that is missing is installed by itself.'
            : `of packages that are missing these are installed by themselves: ${packages.join(', ')}.`,
        ]),
  ]
  return lines.map((line) => `\n- ${line}`).join('')
}
