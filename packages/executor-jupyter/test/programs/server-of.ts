import { DockerSandbox } from '@fenced/sandbox-docker'
import { LocalSandbox } from '@fenced/sandbox-local'
import { LocalJupyterServer, SandboxJupyterServer } from '../../src/index.ts'

/**
 * The server of a way to a kernel: none (`direct`, `bubblewrap`), one on this machine (`server`), in a sandbox on this machine (`sandbox`), or in
 * a container without a network (`container`), of which the image is given in the place of the Python.
 */
export function serverOf(
  way: string | undefined,
  python: string | undefined,
): LocalJupyterServer | SandboxJupyterServer | undefined {
  if (way === 'server') return new LocalJupyterServer({ python })
  if (way === 'sandbox') return new SandboxJupyterServer({ sandbox: new LocalSandbox({ python }) })
  if (way === 'container')
    return new SandboxJupyterServer({ sandbox: new DockerSandbox({ image: python, pull: 'never' }) })
}
