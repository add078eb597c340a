import type { BackendProcess, SandboxBackend } from '@fenced/core/sandbox'
import { type LocalSandbox, localSandbox } from '../local-sandbox.ts'

/** A sandbox of local processes that cannot be let alone, and those of its processes whose connection is open. */
export function restlessSandbox(): LocalSandbox & { readonly running: ReadonlySet<BackendProcess> } {
  const running = new Set<BackendProcess>()
  const made = localSandbox({
    isMounted: false,
    // The namespace of a contained one is a child of this process, which keeps it going.
    isContained: false,
    change: ({ backend }) => ({ backend: withoutRest(backend, running) }),
  })
  return { ...made, running }
}

function withoutRest(backend: SandboxBackend, running: Set<BackendProcess>): SandboxBackend {
  return {
    state: () => backend.state(),
    remove: () => backend.remove(),
    async exec(command, options) {
      const process = await backend.exec(command, options)
      const only: BackendProcess = {
        stdin: process.stdin,
        read: (sink) => process.read(sink),
        poll: () => process.poll(),
        destroy() {
          running.delete(only)
          process.destroy()
        },
      }
      running.add(only)
      return only
    },
  }
}
