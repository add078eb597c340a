import { randomUUID } from 'node:crypto'
import { HostWorkDirectory } from '@fenced/core/driver'
import { SupervisedSandbox } from '@fenced/sandbox'
import { directory, NamespaceBackend } from './namespace-backend.ts'

/** A sandbox of Linux namespaces. Its files are those of `workDir`, copied before and after each block. */
export function namespaceSandbox(workDir?: string): SupervisedSandbox {
  return new SupervisedSandbox({
    name: 'namespaces',
    capabilities: { isolation: 'none', network: 'open', limits: { memory: false, processes: false } },
    workDirectory: new HostWorkDirectory({ path: workDir, mountedAt: directory }),
    async launch({ signal }) {
      // All processes of the namespace are this sandbox's, and its process 1 reaps orphans.
      return { id: randomUUID(), backend: await NamespaceBackend.start({ signal }), isExclusive: true }
    },
  })
}
