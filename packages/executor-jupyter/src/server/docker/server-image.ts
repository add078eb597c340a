import type { StartContext } from '@fenced/core/driver'
import type { Engine, ProvidedImage } from '@fenced/sandbox-docker'
import type { DockerServerSettings } from './docker-server-options.ts'

/** Packages of the default image. */
const serverPackages = ['jupyter-server==2.21.1', 'ipykernel==7.4.0', 'matplotlib==3.11.2', 'pandas==3.1.1']

/** A Dockerfile of the same image. */
export const defaultDockerfile = `ARG BASE=python:3-slim
FROM \${BASE}
RUN python3 -m pip install ${serverPackages.join(' ')}
`

/** Provides the image of the options. */
export async function serverImage(
  engine: Engine,
  settings: DockerServerSettings,
  context: StartContext,
): Promise<ProvidedImage> {
  if (settings.image !== undefined || settings.build !== undefined) {
    return engine.provideImage(settings, context)
  }
  const ours = { ...settings, image: settings.baseImage, packages: serverPackages, requirements: undefined }
  const { id, name } = await engine.provideImage(ours, context)
  // In a separate layer, because the caller's packages can be other versions of the same packages.
  return engine.provideImage({ ...settings, image: id, imageName: name }, context)
}
