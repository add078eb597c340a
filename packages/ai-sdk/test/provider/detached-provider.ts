import { DockerSandbox } from '@fenced/sandbox-docker'
import { type SandboxProvider, sandboxProvider } from '../../src/index.ts'
import { containerOptions } from './providers.ts'

/** Containers that outlive the process that made them, with their files in a directory of this machine. */
export function detachedProvider(directory: string): SandboxProvider {
  return sandboxProvider({
    create: ({ name }) => new DockerSandbox({ ...containerOptions, containerName: name, workDir: directory }),
    detached: { expiresInMs: 120_000 },
  })
}
