import { randomBytes } from 'node:crypto'
import type { StartContext } from '@fenced/core/driver'
import type Docker from 'dockerode'
import type { ContainerRequest } from '../../container/container-request.ts'
import { PendingRemovals } from '../../container/pending-removals.ts'
import { startContainer } from '../../container/start-container.ts'
import type { EngineAccess } from '../../engine/connect-engine.ts'
import { inspectImage } from '../image.ts'
import type { ImageSettings } from '../image-options.ts'
import { keepAsImage } from '../keep-as-image.ts'
import { installPackages } from './install-packages.ts'
import { layerName, normalizePackages } from './layer-name.ts'
import { readRequirements } from './requirements.ts'

/** An image, and what is to be added to it. */
export interface PackagesRequest {
  readonly base: Docker.ImageInspectInfo
  /** What a person knows the image by. */
  readonly baseName: string
  readonly settings: ImageSettings
}

/**
 * The image with the packages that the options name: one that was made before, or a new one.
 *
 * @returns `undefined` when there is nothing to add.
 * @throws FencedError `INSTALL_FAILED`, `IMAGE_WITHOUT_PYTHON`, `REQUIREMENTS_NOT_FOUND` or `DISK_FULL`.
 */
export async function addPackages(
  engine: EngineAccess,
  request: PackagesRequest,
  context: StartContext,
): Promise<Docker.ImageInspectInfo | undefined> {
  const { docker } = engine
  const { base, baseName, settings } = request
  const requirements = await readRequirements(settings.requirements)
  const packages = normalizePackages(settings.packages)
  if (packages.length === 0 && requirements.length === 0) return undefined
  const { platform, installEnv, onMade } = settings
  const name = layerName({ baseImageId: base.Id, platform, packages, requirements })
  const known = await inspectImage(docker, name.reference)
  if (known !== undefined) return known
  const { signal } = context
  const container = await startContainer(engine, containerOf(request), {
    signal,
    pendingRemovals: new PendingRemovals(),
  })
  try {
    await installPackages(container, { baseName, packages, requirements, installEnv }, context)
    return await keepAsImage(docker, { container, name, kind: 'packages', base, onMade })
  } finally {
    // What is left of it is removed at a later start, by its labels.
    await container.remove().catch(() => {})
  }
}

/**
 * It differs from the image as little as possible, because the engine puts the difference into the new image: the
 * entry point cannot be left out, all else is given to the exec.
 */
function containerOf({ base, settings }: PackagesRequest): ContainerRequest {
  const { platform, installNetwork } = settings
  return {
    name: `fenced-install-${randomBytes(6).toString('hex')}`,
    ...(platform === undefined ? {} : { platform }),
    Image: base.Id,
    // An empty word means none. With none at all it would be the image's own.
    Entrypoint: [''],
    Cmd: ['sleep', '86400'],
    HostConfig: { NetworkMode: installNetwork, SecurityOpt: ['no-new-privileges'] },
  }
}
