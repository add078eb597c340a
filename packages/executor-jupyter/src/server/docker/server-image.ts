import { createHash } from 'node:crypto'
import { FencedError } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import type { Engine, ProvidedImage } from '@fenced/sandbox-docker'
import { PrivateFolder } from '../../private-folder.ts'
import { defaultDockerfile } from './default-dockerfile.ts'
import type { DockerServerSettings } from './docker-server-options.ts'

/** The image that the options mean; our own is built once and found again by the hash of its recipe. */
export async function serverImage(
  engine: Engine,
  settings: DockerServerSettings,
  context: StartContext,
): Promise<ProvidedImage> {
  if (settings.image !== undefined || settings.build !== undefined) {
    return engine.provideImage(settings, context)
  }
  const recipe = createHash('sha256').update(settings.baseImage).update(defaultDockerfile)
  const image = `fenced-jupyter:${recipe.digest('hex').slice(0, 16)}`
  const built = { ...settings, image }
  if (settings.pull !== 'always') {
    const found = await engine.provideImage({ ...built, pull: 'never' }, context).catch(unlessMissing)
    if (found !== undefined) return found
  }
  const folder = await PrivateFolder.create()
  try {
    await folder.write('Dockerfile', defaultDockerfile)
    const build = { context: folder.path, dockerfile: 'Dockerfile', buildArgs: { BASE: settings.baseImage } }
    return await engine.provideImage({ ...built, build }, context)
  } finally {
    await folder.remove()
  }
}

function unlessMissing(error: unknown): undefined {
  if (!FencedError.isInstance(error) || error.code !== 'IMAGE_NOT_FOUND') throw error
}
