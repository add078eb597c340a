import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { DockerSandbox, type Engine } from '@fenced/sandbox-docker'
import { SandboxJupyterServer } from '../sandbox-jupyter-server.ts'
import type { DockerServerSettings } from './docker-server-options.ts'
import { notInstalled, type RunningServer } from './running-server.ts'
import { serverImage } from './server-image.ts'

/** Idle timeout of the container, in milliseconds. The server must start within it. */
const idleTimeoutMs = 30_000

/** Starts a server in a container without a network. */
export async function startUnconnected(
  engine: Engine,
  settings: DockerServerSettings,
  context: StartContext,
): Promise<RunningServer> {
  const { platform, workDir, env, memoryBytes, cpus, pids, user, runtime, startTimeoutMs, maxLifetimeMs } =
    settings
  const image = await serverImage(engine, settings, context)
  const sandbox = new DockerSandbox({
    ...{
      docker: engine,
      image: image.id,
      pull: 'never',
      platform,
      env,
      memoryBytes,
      cpus,
      pids,
      user,
      runtime,
    },
    // Files of the server are not copied: without a mount they stay in the container.
    ...(workDir === undefined ? {} : { workDir, workDirMode: 'bind' }),
    // The server ends with this process, and an idle container ends soon after.
    ...{ maxLifetimeMs, idleTimeoutMs },
  })
  const server = new SandboxJupyterServer({ sandbox, startTimeoutMs })
  const stop = async () => {
    await server.stop()
    await sandbox.stop()
  }
  try {
    await server.connect({ signal: context.signal, onNotice: context.notice })
    return {
      connect: (options) => server.connect(options),
      isAlive: () => true,
      limits: sandbox.limitsInForce,
      stop,
    }
  } catch (error) {
    await stop()
    throw isNotInstalled(error) ? notInstalled(image.name, error) : error
  }
}

function isNotInstalled(error: unknown): boolean {
  const codes = ['JUPYTER_NOT_INSTALLED', 'PYTHON_NOT_FOUND']
  return FencedError.isInstance(error) && codes.includes(error.code)
}
