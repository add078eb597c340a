import { randomBytes } from 'node:crypto'
import { nonInteractiveEnvironment } from '@fenced/core/driver'
import {
  type ContainerRequest,
  confinedRequest,
  endsWithHost,
  engineNetworkOf,
  type ProvidedImage,
} from '@fenced/sandbox-docker'
import type { DockerServerSettings } from './docker-server-options.ts'

/** Working directory of the kernels. */
export const workspace = '/workspace'

/** Port of the server in the container. */
export const insidePort = 8888

const home = '/home/user'

/** The request for the server's container (Docker Engine API, "Create a container"). */
export function serverContainer(settings: DockerServerSettings, image: ProvidedImage): ContainerRequest {
  const request = {
    name: `fenced-jupyter-${randomBytes(6).toString('hex')}`,
    Image: image.id,
    // A separate process, because a cell could stop the server, and the container would never end.
    ...endsWithHost(settings.maxLifetimeMs),
    // For files of the server; kernels start in the workspace, its root.
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

/** Published on 127.0.0.1 only, so that other machines cannot connect. */
function reach({ port, ...settings }: DockerServerSettings) {
  const binding = { HostIp: '127.0.0.1', HostPort: port === undefined ? '' : `${port}` }
  return { NetworkMode: engineNetworkOf(settings), PortBindings: { [`${insidePort}/tcp`]: [binding] } }
}

function files({ workDir }: DockerServerSettings) {
  const writable = 'rw,exec,nosuid,nodev,mode=1777'
  return workDir === undefined
    ? { Tmpfs: { [home]: writable, [workspace]: writable } }
    : {
        Tmpfs: { [home]: writable },
        Mounts: [{ Type: 'bind' as const, Source: workDir, Target: workspace }],
      }
}
