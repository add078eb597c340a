import type { CodeExecutor } from '../code-executor.ts'
import type { Isolation } from '../isolation.ts'
import type { ApprovalPlace } from './approval-request.ts'

/** Where an executor runs code, in words and as data. */
export function placeOf({ name, capabilities, workDir }: CodeExecutor): ApprovalPlace {
  const { isolation, network, isolationParticulars = {}, installablePackages } = capabilities
  return {
    description: placeText({ isolation, network }),
    executor: name,
    isolation,
    network,
    particulars: isolationParticulars,
    ...(workDir === undefined ? {} : { workDir }),
    ...(installablePackages === undefined ? {} : { installablePackages }),
  }
}

/** Where code runs: `on this machine, not isolated`, `in a container, without network`. */
export function placeText({ isolation, network }: { isolation: Isolation; network: boolean }): string {
  if (isolation === 'none') return network ? places.none : `${places.none}, without network`
  return `${places[isolation]}, ${network ? 'with the network' : 'without network'}`
}

const places: Readonly<Record<Isolation, string>> = {
  none: 'on this machine, not isolated',
  sandbox: 'in a sandbox',
  container: 'in a container',
  vm: 'in a virtual machine',
}
