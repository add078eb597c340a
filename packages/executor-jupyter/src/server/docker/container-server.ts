import { FencedError, type LimitsInForce, type StartOptions } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { type ForwardedPort, forwardPort } from '@fenced/sandbox'
import { DockerSandbox, type Engine, type ProvidedImage } from '@fenced/sandbox-docker'
import type { JupyterConnection } from '../connection-info.ts'
import { SandboxJupyterServer } from '../sandbox-jupyter-server.ts'
import type { DockerServerSettings } from './docker-server-options.ts'

/** A server in a container, which is replaced when it is lost. */
export interface ContainerServer {
  connect(options: StartOptions): Promise<JupyterConnection>
  readonly limits: LimitsInForce | undefined
  /** Removes the container. */
  stop(): Promise<void>
}

interface ServerParts {
  readonly engine: Engine
  readonly settings: DockerServerSettings
  readonly token: string
}

/** Starts a server in a container. Other clients of this machine can connect to it as well. */
export async function startContainerServer(
  { engine, settings, token }: ServerParts,
  context: StartContext,
): Promise<ContainerServer> {
  const { port, startTimeoutMs } = settings
  const image = await serverImage(engine, settings, context)
  const sandbox = new DockerSandbox({ ...sandboxOptions(settings), docker: engine, image: image.id })
  const server = new SandboxJupyterServer({ sandbox, startTimeoutMs }, { token })
  let portInside = 0
  let forwarded: ForwardedPort | undefined
  const connect = async (options: StartOptions) => {
    const connection = await server.connect(options)
    portInside = connection.port ?? 0
    return forwarded === undefined ? connection : { ...connection, port: forwarded.port }
  }
  const stop = async () => {
    await forwarded?.close()
    await server.stop()
    await sandbox.stop()
  }
  try {
    const { capabilities } = sandbox
    const toServer = (_: number, options?: { readonly signal?: AbortSignal }) =>
      sandbox.connect(portInside, options)
    forwarded = await forwardPort({ capabilities, connect: toServer }, usualPort, { localPort: port ?? 0 })
    await connect({ signal: context.signal, onNotice: context.notice })
    return { connect, limits: sandbox.limitsInForce, stop }
  } catch (error) {
    await stop()
    throw isNotInstalled(error) ? notInstalled(image.name, error) : error
  }
}

/** Appears only in error messages: in its container, the server chooses any free port. */
const usualPort = 8888

function sandboxOptions(settings: DockerServerSettings) {
  const { platform, workDir, env, memoryBytes, cpus, pids, user, runtime, network, maxLifetimeMs } = settings
  return {
    ...{ platform, env, memoryBytes, cpus, pids, user, runtime, maxLifetimeMs, pull: 'never' as const },
    ...{ network, readOnlyRoot: network === 'none' },
    // A server needs its container although nothing is started there.
    idleTimeoutMs: 0,
    // Files of the server are not copied: without a mount they stay in the container.
    ...(workDir === undefined ? {} : { workDir, workDirMode: 'bind' as const }),
  }
}

function isNotInstalled(error: unknown): boolean {
  const codes = ['JUPYTER_NOT_INSTALLED', 'PYTHON_NOT_FOUND']
  return FencedError.isInstance(error) && codes.includes(error.code)
}

function notInstalled(image: string, cause: unknown): FencedError {
  return new FencedError({
    code: 'JUPYTER_NOT_INSTALLED',
    message: `The image ${image} has no Jupyter server: it needs a python3 with jupyter-server and ipykernel. Leave \`image\` out to use the default image, or build on DockerJupyterServer.DEFAULT_DOCKERFILE.`,
    data: { image, option: 'image' },
    cause,
  })
}

/** Packages of the default image. */
const serverPackages = ['jupyter-server==2.21.1', 'ipykernel==7.4.0', 'matplotlib==3.11.2', 'pandas==3.1.1']

/** A Dockerfile of the same image. */
export const defaultDockerfile = `ARG BASE=python:3-slim
FROM \${BASE}
RUN python3 -m pip install ${serverPackages.join(' ')}
`

/** Provides the image of the options. */
export async function serverImage(
  engine: Engine,
  settings: DockerServerSettings,
  context: StartContext,
): Promise<ProvidedImage> {
  if (settings.image !== undefined || settings.build !== undefined) {
    return engine.provideImage(settings, context)
  }
  const ours = { ...settings, image: settings.baseImage, packages: serverPackages, requirements: undefined }
  const { id, name } = await engine.provideImage(ours, context)
  // In a separate layer, because the caller's packages can be other versions of the same packages.
  return engine.provideImage({ ...settings, image: id, imageName: name }, context)
}
