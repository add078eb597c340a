import type { ExecutorCapabilities } from '@fenced/core'

/** What the instructions of a model say about the executor of its code. */
export interface ExecutorFacts {
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
    : `of packages that are missing these are installed by themselves: ${packages.join(', ')}.`
}
