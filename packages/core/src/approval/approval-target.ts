import type { CodeExecutor, ExecutorCapabilities } from '../code-executor.ts'
import type { SessionStateId } from '../session/python-session.ts'
import type { Isolation, IsolationParticulars, NetworkAccess } from '../vocabulary/isolation.ts'
import type { ApprovalTarget } from './approval-request.ts'

/** The parts of an executor that say where it runs code. */
export type PlaceOfCode = Pick<CodeExecutor, 'name' | 'capabilities' | 'workDir' | 'session'>

/** Returns the place where an executor runs code, in words and as data. */
export function targetOf({ name, capabilities, workDir, session }: PlaceOfCode): ApprovalTarget {
  const { isolation, network, isolationParticulars, approvalParticulars, installablePackages } = capabilities
  return {
    description: isolationText({ isolation, network }),
    executor: name,
    isolation,
    network,
    particulars: { ...isolationParticulars, ...approvalParticulars, ...stateParticulars(session?.state) },
    ...(workDir === undefined ? {} : { workDir }),
    ...(installablePackages === undefined ? {} : { installablePackages }),
  }
}

/** The same code does something else on other variables. */
function stateParticulars(state: SessionStateId | undefined): IsolationParticulars {
  return state === undefined ? {} : { session: state.session, state: state.number }
}

/** Describes the place where code runs: `on this machine, not isolated`, `in a container, without network`. */
export function isolationText({
  isolation,
  network,
}: Pick<ExecutorCapabilities, 'isolation' | 'network'>): string {
  const where = isolationTexts[isolation]
  return isolation === 'none' && network === 'open' ? where : `${where}, ${networkTexts[network]}`
}

const networkTexts: Readonly<Record<NetworkAccess, string>> = {
  none: 'without network',
  list: 'with a network allowlist',
  open: 'with the network',
}

/** Words for the place where code runs, by its isolation. */
export const isolationTexts: Readonly<Record<Isolation, string>> = {
  none: 'on this machine, not isolated',
  bubblewrap: 'in bubblewrap',
  container: 'in a container',
  vm: 'in a virtual machine',
}
