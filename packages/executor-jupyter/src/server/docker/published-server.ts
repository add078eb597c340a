import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type { Container, Engine } from '@fenced/sandbox-docker'
import { answering } from '../answering.ts'
import { launchLine } from '../launch-options.ts'
import { StartFault } from '../server-error.ts'
import { type AttachedServer, attach } from './attach.ts'
import type { DockerServerSettings } from './docker-server-options.ts'
import { type RunningServer, startFailedIn } from './running-server.ts'
import { insidePort, serverContainer, workspace } from './server-container.ts'
import { serverImage } from './server-image.ts'

/** Starts a server in a container that publishes its port on 127.0.0.1. */
export async function startPublished(
  engine: Engine,
  { settings, token }: { readonly settings: DockerServerSettings; readonly token: string },
  context: StartContext,
): Promise<RunningServer> {
  if (!engine.isLocal) throw elsewhere(engine)
  const [image, user] = await Promise.all([
    serverImage(engine, settings, context),
    settings.user ?? engine.defaultUser(context),
    engine.removeLeftovers(context),
  ])
  const request = serverContainer(settings, image)
  const container = await engine.startContainer(request, context)
  let attached: AttachedServer | undefined
  try {
    const { signal } = context
    const server = await attachWithin(settings.startTimeoutMs, container, { user, signal })
    attached = server
    server.write(launchLine({ ip: '0.0.0.0', port: insidePort, token, root: workspace }))
    const info = { host: '127.0.0.1', port: await publishedPort(container, context.signal), token }
    const { startTimeoutMs: timeoutMs } = settings
    await answering(info, { exited: server.ended, timeoutMs, signal: context.signal })
    const limits = await container.limits(context)
    return {
      connect: async () => info,
      limits,
      isAlive: () => !server.hasEnded,
      stop: () => stopContainer(container, server),
    }
  } catch (error) {
    const lastWords = attached?.lastWords
    await stopContainer(container, attached)
    context.signal.throwIfAborted()
    // The container may have ended before it was attached.
    const mayHaveEnded = attached !== undefined || isGone(error)
    const askAgain = async () => (await container.whyItEnded(context)).message
    throw startFailedIn(image.name, lastWords || (mayHaveEnded ? await askAgain() : ''), error)
  }
}

/** @throws StartFault when the engine does not attach in time. */
async function attachWithin(
  limitMs: number,
  container: Container,
  { user, signal }: { readonly user: string; readonly signal: AbortSignal },
): Promise<AttachedServer> {
  const limit = AbortSignal.timeout(limitMs)
  try {
    return await attach(container, { user, signal: AbortSignal.any([signal, limit]) })
  } catch (error) {
    if (!limit.aborted) throw error
    const message = `the engine did not attach to it within ${limitMs} ms.`
    throw new StartFault(message, { data: { limitMs: String(limitMs) }, cause: error })
  }
}

async function stopContainer(container: Container, attached: AttachedServer | undefined): Promise<void> {
  attached?.close()
  await container.remove()
}

async function publishedPort(container: Container, signal: AbortSignal): Promise<number> {
  const port = await container.publishedPort(insidePort, { signal })
  if (port === undefined) throw new Error('its container has no published port, or has ended.')
  return port
}

/** Whether the container was not there any more when it was used. */
function isGone(error: unknown): boolean {
  return FencedError.isInstance(error) && error.code === 'SANDBOX_GONE'
}

function elsewhere({ endpoint }: Engine): FencedError {
  return new FencedError({
    code: 'ENGINE_ELSEWHERE',
    message: `The Docker engine at ${endpoint.address} is not on this machine, but the server is published only on 127.0.0.1 of the engine's machine. Set \`network: false\` to reach the server through the engine, without a network. Or start a Jupyter server there, and pass its address to the executor as \`server\`.`,
    data: { engine: endpoint.address, option: 'network' },
  })
}
