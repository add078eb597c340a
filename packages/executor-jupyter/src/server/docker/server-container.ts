import { randomBytes } from 'node:crypto'
import { nonInteractiveEnvironment } from '@fenced/core/driver'
import {
  type ContainerRequest,
  confinedRequest,
  endsWithHost,
  type ProvidedImage,
} from '@fenced/sandbox-docker'
import type { DockerServerSettings } from './docker-server-options.ts'

/** Where the kernels find and leave files. */
export const workspace = '/workspace'

/** The server's port inside; which one it is outside is the engine's or the caller's choice. */
export const insidePort = 8888

const home = '/home/user'

/** The request for the server's container (Docker Engine API, "Create a container"). */
export function serverContainer(settings: DockerServerSettings, image: ProvidedImage): ContainerRequest {
  const request = {
    name: `fenced-jupyter-${randomBytes(6).toString('hex')}`,
    Image: image.id,
    // Not the server itself, which a cell could stop: nothing would end the container then.
    ...endsWithHost(settings.maxLifetimeMs),
    // The server keeps files of its own there; kernels begin in the workspace, its root.
    WorkingDir: home,
    Env: Object.entries(environment(settings)).map(([name, value]) => `${name}=${value}`),
    ExposedPorts: { [`${insidePort}/tcp`]: {} },
    HostConfig: { ...reach(settings), ...files(settings) },
  }
  return confinedRequest(request, { limits: settings })
}

function environment({ env }: DockerServerSettings): Record<string, string> {
  const { MPLBACKEND: _, ...quiet } = nonInteractiveEnvironment
  return { ...quiet, HOME: home, USER: 'user', JUPYTER_NO_CONFIG: '1', ...env }
}

/** On 127.0.0.1 only: nobody else on the network of this machine can connect. */
function reach({ network, port }: DockerServerSettings) {
  const binding = { HostIp: '127.0.0.1', HostPort: port === undefined ? '' : `${port}` }
  return { NetworkMode: `${network}`, PortBindings: { [`${insidePort}/tcp`]: [binding] } }
}

function files({ bindDir }: DockerServerSettings) {
  const writable = 'rw,exec,nosuid,nodev,mode=1777'
  return bindDir === undefined
    ? { Tmpfs: { [home]: writable, [workspace]: writable } }
    : {
        Tmpfs: { [home]: writable },
        Mounts: [{ Type: 'bind' as const, Source: bindDir, Target: workspace }],
      }
}
