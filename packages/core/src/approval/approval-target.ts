import type { CodeExecutor } from '../code-executor.ts'
import type { Isolation } from '../isolation.ts'
import type { ApprovalTarget } from './approval-request.ts'

/** The parts of an executor that say where it runs code. */
export type PlaceOfCode = Pick<CodeExecutor, 'name' | 'capabilities' | 'workDir'>

/** Returns the place where an executor runs code, in words and as data. */
export function targetOf({ name, capabilities, workDir }: PlaceOfCode): ApprovalTarget {
  const { isolation, network, isolationParticulars, approvalParticulars, installablePackages } = capabilities
  return {
    description: isolationText({ isolation, network }),
    executor: name,
    isolation,
    network,
    particulars: { ...isolationParticulars, ...approvalParticulars },
    ...(workDir === undefined ? {} : { workDir }),
    ...(installablePackages === undefined ? {} : { installablePackages }),
  }
}

/** Describes the place where code runs: `on this machine, not isolated`, `in a container, without network`. */
export function isolationText({ isolation, network }: { isolation: Isolation; network: boolean }): string {
  const where = isolationTexts[isolation]
  if (isolation === 'none') return network ? where : `${where}, without network`
  return `${where}, ${network ? 'with the network' : 'without network'}`
}

/** Words for the place where code runs, by its isolation. */
export const isolationTexts: Readonly<Record<Isolation, string>> = {
  none: 'on this machine, not isolated',
  sandbox: 'in a sandbox',
  container: 'in a container',
  vm: 'in a virtual machine',
}
