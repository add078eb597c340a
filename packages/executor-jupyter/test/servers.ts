import type { Sandbox } from '@fenced/core/sandbox'
import { DockerSandbox, Engine } from '@fenced/sandbox-docker'
import { LocalSandbox } from '@fenced/sandbox-local'
import { serverImage } from '../src/server/docker/container-server.ts'
import { readDockerServerOptions } from '../src/server/docker/docker-server-options.ts'
import { bubblewrap, inBubblewrap } from './bubblewrap.ts'
import { docker, pythonImage } from './docker.ts'
import { jupyter, jupyterPython } from './support.ts'

/** Where a server can run, and what its tests need. */
export interface SandboxKind {
  readonly name: string
  readonly isMissing: boolean
  create(options?: { workDir?: string }): Promise<Sandbox>
}

export const sandboxKinds: readonly SandboxKind[] = [
  {
    name: 'a sandbox on this machine',
    isMissing: jupyter.missing,
    create: async (options) => new LocalSandbox({ python: jupyterPython, ...options }),
  },
  {
    name: 'bubblewrap',
    isMissing: jupyter.missing || bubblewrap.missing,
    create: async (options) => inBubblewrap(options),
  },
  {
    name: 'a container without a network',
    isMissing: docker.missing,
    create: async (options) => new DockerSandbox({ image: await jupyterImage(), pull: 'never', ...options }),
  },
]

/** An image with Jupyter: the one that `DockerJupyterServer` makes, which is built once. */
export async function jupyterImage(): Promise<string> {
  await using engine = await Engine.connect()
  const settings = readDockerServerOptions({ baseImage: pythonImage })
  const context = { signal: new AbortController().signal, notice: () => {} }
  return (await serverImage(engine, settings, context)).id
}
