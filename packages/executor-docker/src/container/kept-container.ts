import { FencedError } from '@fenced/core'
import { configurationOf, isGone, removeContainer } from '@fenced/docker-engine'
import type Docker from 'dockerode'
import type { WorkDirectoryMode } from '../work-directory/modes.ts'
import { containerRequest } from './container-request.ts'
import type { ContainerPlan } from './start-container.ts'

/** A container that was left running, and how its working directory gets there. */
export interface KeptContainer {
  readonly container: Docker.Container
  readonly mode: WorkDirectoryMode
}

/**
 * The container that an executor with `stopContainer: false` left running, when it was made from the same request.
 *
 * @throws FencedError `CONTAINER_NAME_TAKEN` when the one of that name is another.
 */
export async function findKept(plan: ContainerPlan, signal: AbortSignal): Promise<KeptContainer | undefined> {
  const { stopContainer, containerName } = plan.settings
  if (stopContainer || containerName === undefined) return undefined
  const container = plan.docker.getContainer(containerName)
  const found = await container.inspect({ abortSignal: signal }).catch((error: unknown) => {
    if (isGone(error)) return undefined
    throw error
  })
  if (found === undefined) return undefined
  const configuration = configurationOf(found.Config.Labels)
  const mode = plan.modes.find((way) => configurationOf(containerRequest(plan, way).Labels) === configuration)
  if (mode === undefined) throw anotherOne(containerName)
  if (found.State.Running) return { container, mode }
  await removeContainer(container)
  return undefined
}

function anotherOne(name: string): FencedError {
  return new FencedError({
    code: 'CONTAINER_NAME_TAKEN',
    message: `There is a container "${name}" already, and it was not made by an executor with these options. Choose another \`containerName\`, or remove it: docker rm --force ${name}`,
  })
}
