import type { Isolation } from '@fenced/core'
import type { ExecutorSandbox } from '@fenced/core/sandbox'

/** What a model has to know of a sandbox. Only what is sure: it relies on it. */
export function describeSandbox({ capabilities, directory }: ExecutorSandbox): string {
  const { isolation, network, limits } = capabilities
  const limited = [
    ...(limits.memory ? ['memory'] : []),
    ...(limits.processes ? ['the number of processes'] : []),
  ]
  return [
    `Commands are run by a shell ${isolationWords[isolation]}.`,
    `Each one begins in the working directory ${directory}, to which relative paths belong.`,
    'Files there stay; variables and `cd` do not outlive their command.',
    ...(network === 'none' ? ['There is no network.'] : []),
    ...(limited.length === 0 ? [] : [`Limited: ${limited.join(' and ')}.`]),
  ].join(' ')
}

const isolationWords: Readonly<Record<Isolation, string>> = {
  none: 'on this machine, without isolation',
  sandbox: 'in a sandbox on this machine',
  container: 'in a container',
  vm: 'in a virtual machine',
}
