import { createHash } from 'node:crypto'
import type { StartContext } from '@fenced/core/driver'
import { normalizePackages, type RequirementsFile, readRequirements } from '@fenced/shared'
import type Docker from 'dockerode'
import type { EngineAccess } from '../../engine/connect-engine.ts'
import { inspectImage, type OwnImageName } from '../image.ts'
import type { ImageSettings } from '../image-options.ts'
import { keepAsImage } from '../keep-as-image.ts'
import { installTimeout } from './install-error.ts'
import { describeInstallation, installPackages } from './install-packages.ts'
import { startInstaller } from './installer-container.ts'

/** An image, and what is to be added to it. */
export interface PackagesRequest {
  readonly base: Docker.ImageInspectInfo
  /** What a person knows the image by. */
  readonly baseName: string
  readonly settings: ImageSettings
}

/**
 * Returns the image with the packages of the options, which an earlier start may have made.
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
  const { platform, installEnv, installTimeoutMs, onMade } = settings
  const name = layerName({ baseImageId: base.Id, platform, packages, requirements })
  const known = await inspectImage(docker, name.reference, context.signal)
  if (known !== undefined) return known
  const installation = { baseName, packages, requirements, installEnv }
  const limit = AbortSignal.timeout(installTimeoutMs)
  const signal = AbortSignal.any([context.signal, limit])
  try {
    await using installer = await startInstaller(engine, base, { settings, signal })
    const { container } = installer
    await installPackages(container, installation, { ...context, signal })
    return await keepAsImage(docker, { container, name, kind: 'packages', base, onMade })
  } catch (error) {
    if (error !== limit.reason || context.signal.aborted) throw error
    throw installTimeout({ what: describeInstallation(installation), baseName, timeoutMs: installTimeoutMs })
  }
}

/** To be raised when the same packages would be installed in another way. */
const recipe = 1

const repo = 'fenced-packages'

/** All that decides what is in an image with packages. */
interface LayerParts {
  readonly baseImageId: string
  readonly platform: string | undefined
  readonly packages: readonly string[]
  readonly requirements: readonly RequirementsFile[]
}

/** The same name for the same parts, in this process and in every other one. */
export function layerName({ baseImageId, platform, packages, requirements }: LayerParts): OwnImageName {
  const files = requirements.map(({ name, content }) => [name, content])
  const parts = JSON.stringify([recipe, baseImageId, platform ?? null, packages, files])
  const tag = createHash('sha256').update(parts).digest('hex').slice(0, 32)
  return { repo, tag, reference: `${repo}:${tag}` }
}
