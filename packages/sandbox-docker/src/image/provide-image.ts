import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type Docker from 'dockerode'
import type { EngineAccess } from '../engine/connect-engine.ts'
import { buildImage } from './build/build-image.ts'
import { allImages, newImages } from './build/new-images.ts'
import { inspectImage, isForPlatform, providedImage, requireImage } from './image.ts'
import { isImageId, parseImageName } from './image-name.ts'
import { defaultImage, type ImageSettings, type ProvidedImage } from './image-options.ts'
import { addPackages } from './packages/add-packages.ts'
import { pullImage } from './pull/pull-image.ts'

/** The engine's description of an image, and the name for messages. */
interface FoundImage {
  readonly image: Docker.ImageInspectInfo
  readonly name: string
}

/**
 * Sees to it that the engine has the image which the options mean: pulls or builds it, and adds packages. What was
 * done before is not done again.
 *
 * @throws FencedError whose code says what is wrong (`IMAGE_NOT_FOUND`, `PULL_FAILED`, `WRONG_PLATFORM`,
 * `BUILD_FAILED`, `BUILD_CONTEXT_NOT_FOUND`, `BUILD_COMMAND_NOT_FOUND`, `INSTALL_FAILED`, `IMAGE_WITHOUT_PYTHON`, `REQUIREMENTS_NOT_FOUND`,
 * `DISK_FULL`, `INVALID_OPTIONS`), the signal's reason when it is aborted, or what dockerode throws when the engine
 * itself fails.
 */
export async function provideImage(
  engine: EngineAccess,
  settings: ImageSettings,
  context: StartContext,
): Promise<ProvidedImage> {
  try {
    context.signal.throwIfAborted()
    const base = await baseImage(engine, settings, context)
    checkPlatform(base, settings)
    const request = { base: base.image, baseName: base.name, settings }
    const image = await addPackages(engine, request, context)
    context.signal.throwIfAborted()
    return image === undefined
      ? providedImage(base.image, base.name)
      : providedImage(image, `${base.name} with its packages`)
  } catch (error) {
    // What a cancelled request fails with says nothing.
    context.signal.throwIfAborted()
    throw error
  }
}

async function baseImage(
  engine: EngineAccess,
  settings: ImageSettings,
  context: StartContext,
): Promise<FoundImage> {
  const { build, image = defaultImage, onMade } = settings
  if (build === undefined) return namedImage(engine, { ...settings, image }, context)
  const { signal } = context
  const before = onMade === undefined ? undefined : await allImages(engine.docker, signal)
  const look = (id: string) => requireImage(engine.docker, id, signal)
  const built = await look(await buildImage(engine, { build, settings }, context))
  if (before !== undefined) for (const made of await newImages(built, before, look)) onMade?.(made)
  return { image: built, name: settings.image ?? `built from ${build.context}` }
}

async function namedImage(
  engine: EngineAccess,
  settings: ImageSettings & { readonly image: string },
  context: StartContext,
): Promise<FoundImage> {
  const { docker } = engine
  const { image, platform } = settings
  const name = parseImageName(image)
  const pull = isImageId(image) ? 'never' : settings.pull
  const local = pull === 'always' ? undefined : await inspectImage(docker, image, context.signal)
  const isWanted = local !== undefined && (platform === undefined || isForPlatform(local, platform))
  if (local !== undefined && (isWanted || pull === 'never')) {
    return { image: local, name: settings.imageName ?? image }
  }
  if (name === undefined || pull === 'never') throw notThere(image)
  await pullImage(engine, { name, platform }, context)
  return { image: await requireImage(docker, image, context.signal), name: image }
}

function checkPlatform({ image, name }: FoundImage, { platform }: ImageSettings): void {
  if (platform === undefined || isForPlatform(image, platform)) return
  throw new FencedError({
    code: 'WRONG_PLATFORM',
    message: `The image ${name} is for ${image.Os}/${image.Architecture}, but the \`platform\` option is ${platform}. Choose another image or platform.`,
    data: {
      image: name,
      platform: `${image.Os}/${image.Architecture}`,
      needed: platform,
      option: 'platform',
    },
  })
}

function notThere(image: string): FencedError {
  const isId = isImageId(image)
  const next = isId
    ? 'An id cannot be pulled: use the name of the image, or load it into the engine first.'
    : "It is not pulled with `pull: 'never'`: use 'missing', or pull, build or load it first."
  return new FencedError({
    code: 'IMAGE_NOT_FOUND',
    message: `The engine has no image ${image}. ${next}`,
    data: { image, option: isId ? 'image' : 'pull' },
  })
}
