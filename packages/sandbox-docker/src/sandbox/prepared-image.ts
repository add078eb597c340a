import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type { SandboxPreparation } from '@fenced/core/sandbox'
import type { Container } from '../container/container.ts'
import type { OwnImageName } from '../image/image.ts'
import type { ProvidedImage } from '../image/image-options.ts'
import type { ContainerPlan } from './container-plan.ts'
import { prepareIn } from './prepare-container.ts'
import { preparationRequest } from './sandbox-request.ts'

/** To be raised when other things of a preparation are kept. */
const recipe = 1

const repo = 'fenced-prepared'

/** Interval at which a process checks whether another process has finished the image, in milliseconds. */
const lookMs = 500

/**
 * Returns the image with the files of a preparation, which any earlier process may have made. The container in which
 * it is made has the same name for all processes, so that the engine lets one process make it, and the others wait.
 *
 * @throws FencedError, what the preparation rejects with, or the signal's reason; no image is left then.
 */
export async function preparedImage(
  plan: ContainerPlan,
  preparation: SandboxPreparation,
  context: StartContext,
): Promise<ProvidedImage> {
  const name = preparedName(plan, preparation.identity)
  for (;;) {
    const image =
      (await plan.engine.findImage(name, context)) ??
      (await makeUnlessTaken(plan, { name, preparation, context }))
    if (image !== undefined) return { ...image, name: plan.image.name }
    // The container of a killed process must not block the start.
    await plan.engine.removeLeftovers(context)
    await delay(lookMs, undefined, { signal: context.signal })
  }
}

interface Making {
  readonly name: OwnImageName
  readonly preparation: SandboxPreparation
  readonly context: StartContext
}

/** `undefined` when another process prepares it. */
async function makeUnlessTaken(
  plan: ContainerPlan,
  { name, preparation, context }: Making,
): Promise<ProvidedImage | undefined> {
  const { engine, image } = plan
  const container = await startUnlessTaken(plan, `${name.repo}-${name.tag}`, context)
  if (container === undefined) return undefined
  try {
    // The one before may have finished between the look and the start.
    const known = await engine.findImage(name, context)
    if (known !== undefined) return known
    context.notice({
      code: 'build',
      message: `Preparing a container of ${image.name}. Later starts use the result.`,
      data: { image: image.name },
    })
    await container.hold(context)
    await prepareIn(container, plan, { preparation, signal: context.signal })
    return await engine.keepAsImage(container, { name, kind: 'prepared', baseId: image.id })
  } finally {
    // What is left of it is removed at a later start, by its labels.
    await container.remove().catch(() => {})
  }
}

async function startUnlessTaken(
  plan: ContainerPlan,
  name: string,
  { signal }: StartContext,
): Promise<Container | undefined> {
  try {
    return await plan.engine.startContainer(preparationRequest(plan, name), { signal })
  } catch (error) {
    if (FencedError.isInstance(error) && error.code === 'CONTAINER_NAME_TAKEN') return undefined
    throw error
  }
}

/** The same name for the same work on the same image, in this process and in every other one. */
function preparedName({ image, user, settings }: ContainerPlan, identity: string): OwnImageName {
  // The image contains the results of the command.
  const { platform = null, initCommand = null } = settings
  const parts = JSON.stringify([recipe, image.id, platform, user, identity, initCommand])
  const tag = createHash('sha256').update(parts).digest('hex').slice(0, 32)
  return { repo, tag, reference: `${repo}:${tag}` }
}
