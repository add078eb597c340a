import { FencedError } from '@fenced/core'
import type { Container } from '../container/container.ts'
import { pausedError } from '../container/container-error.ts'
import type { FoundContainer } from '../engine.ts'
import { engineNetworkOf } from './container-options.ts'
import type { ContainerPlan, WorkDirectoryMode } from './container-plan.ts'
import { sandboxRequest } from './sandbox-request.ts'

/** A container that was left running, and how its working directory gets there. */
export interface ReusedContainer {
  readonly container: Container
  readonly mode: WorkDirectoryMode
}

/**
 * The container that an executor with `stopContainer: false` left running, when it was made from the same request.
 *
 * @throws FencedError `CONTAINER_NAME_TAKEN` when the one of that name is another.
 */
export async function findKept(
  plan: ContainerPlan,
  signal: AbortSignal,
): Promise<ReusedContainer | undefined> {
  const { stopContainer, containerName } = plan.settings
  if (stopContainer || containerName === undefined) return undefined
  const found = await plan.engine.findContainer(containerName, { signal })
  if (found === undefined) return undefined
  const { container, isRunning, isMadeFrom } = found
  const mode = plan.modes.find((way) => isMadeFrom(sandboxRequest(plan, way)))
  if (mode === undefined) throw differentContainer(containerName)
  if (isRunning) {
    requireUsable(found, plan)
    return { container, mode }
  }
  await container.remove()
  return undefined
}

/**
 * Returns the detached container that this process resumes.
 *
 * @throws FencedError `SANDBOX_GONE` when it no longer exists, `NOT_RESUMABLE` when it was made from a different request.
 */
export async function findDetached(plan: ContainerPlan, signal: AbortSignal): Promise<ReusedContainer> {
  const { resume = '' } = plan
  const found = await plan.engine.findContainer(resume, { signal })
  if (found === undefined || !found.isRunning) throw noneOf(resume)
  const settings = { ...plan.settings, containerName: found.name }
  const made = { ...plan, ...imageOf(found, plan), settings }
  const mode = plan.modes.find((way) => found.isMadeFrom(sandboxRequest(made, way)))
  if (mode === undefined) throw notMadeSo(resume)
  // The process that paused it may have ended.
  if (found.isPaused) await found.container.resume()
  requireUsable({ ...found, isPaused: false }, plan)
  return { container: found.container, mode }
}

/** Networks that users do not create, and that are listed under other names, or not at all. */
const builtIn = /^(none|host|bridge|default|private|slirp4netns|pasta|(container|ns):.*)$/

/** @throws FencedError `CONTAINER_UNUSABLE` where it is paused or has lost its network: nothing would say so later. */
function requireUsable({ name, isPaused, isConnectedTo }: FoundContainer, { settings }: ContainerPlan): void {
  if (isPaused) throw pausedError(name)
  const network = engineNetworkOf(settings)
  if (builtIn.test(network) || isConnectedTo(network)) return
  const command = `docker network connect ${network} ${name}`
  throw new FencedError({
    code: 'CONTAINER_UNUSABLE',
    message: `The container ${name} has lost its network ${network}, which was removed or disconnected. Connect it again with \`${command}\`, or remove the container with \`docker rm --force ${name}\`.`,
    data: { container: name, network, command },
  })
}

/** A process that resumes a container need not know that it was made from a preparation: a label says so. */
function imageOf(
  { imageId, preparedFrom }: FoundContainer,
  { image }: ContainerPlan,
): Pick<ContainerPlan, 'image' | 'preparedFrom'> {
  return preparedFrom === image.id ? { image: { ...image, id: imageId }, preparedFrom } : { image }
}

function noneOf(id: string): FencedError {
  return new FencedError({
    code: 'SANDBOX_GONE',
    message: `The container ${id} cannot be resumed: it has expired or was stopped. Start without \`resume\` to get a new container.`,
    data: { container: id },
  })
}

function notMadeSo(id: string): FencedError {
  return new FencedError({
    code: 'NOT_RESUMABLE',
    message: `The container ${id} was created with other options or a different \`detached\`, so it cannot be resumed.`,
    data: { container: id },
  })
}

function differentContainer(name: string): FencedError {
  return new FencedError({
    code: 'CONTAINER_NAME_TAKEN',
    message: `A container "${name}" already exists, but was not created with these options. Choose another \`containerName\`, or remove the container: docker rm --force ${name}`,
    data: { container: name, option: 'containerName', command: `docker rm --force ${name}` },
  })
}
