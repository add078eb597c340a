import type { CodeExecutor, Isolation } from '@fenced/core'

/** What a model has to know of the executor. Only what is sure: it relies on it. */
export function describeSandbox({ capabilities, workDir }: CodeExecutor): string {
  const { isolation, network, limits } = capabilities
  const limited = [
    ...(limits.memory ? ['memory'] : []),
    ...(limits.processes ? ['the number of processes'] : []),
  ]
  return [
    `Commands are run by sh ${isolationWords[isolation]}, one at a time.`,
    isHere(isolation)
      ? `Each one begins in the working directory ${workDir}, to which relative paths belong.`
      : 'Each one begins in the working directory, to which relative paths belong; `pwd` says where it is.',
    'Files there stay; variables and `cd` do not outlive their command.',
    'A command cannot ask for input.',
    ...(network ? [] : ['There is no network.']),
    ...(limited.length === 0 ? [] : [`Limited: ${limited.join(' and ')}.`]),
  ].join(' ')
}

const isolationWords: Readonly<Record<Isolation, string>> = {
  none: 'on this machine, without isolation',
  sandbox: 'in a sandbox on this machine',
  container: 'in a container',
  vm: 'in a virtual machine',
}

/** Elsewhere the directory has another path, which only the executor knows. */
function isHere(isolation: Isolation): boolean {
  return isolation === 'none' || isolation === 'sandbox'
}
