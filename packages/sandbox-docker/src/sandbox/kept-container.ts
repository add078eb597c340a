import { FencedError } from '@fenced/core'
import type { Container } from '../container/container.ts'
import { containerRequest } from './container-request.ts'
import type { WorkDirectoryMode } from './modes.ts'
import type { ContainerPlan } from './start-container.ts'

/** A container that was left running, and how its working directory gets there. */
export interface KeptContainer {
  readonly container: Container
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
  const found = await plan.engine.findContainer(containerName, { signal })
  if (found === undefined) return undefined
  const { container, isRunning, isMadeFrom } = found
  const mode = plan.modes.find((way) => isMadeFrom(containerRequest(plan, way)))
  if (mode === undefined) throw anotherOne(containerName)
  if (isRunning) return { container, mode }
  await container.remove()
  return undefined
}

function anotherOne(name: string): FencedError {
  return new FencedError({
    code: 'CONTAINER_NAME_TAKEN',
    message: `There is a container "${name}" already, and it was not made by an executor with these options. Choose another \`containerName\`, or remove it: docker rm --force ${name}`,
  })
}
