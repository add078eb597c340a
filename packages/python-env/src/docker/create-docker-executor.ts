import { FencedError } from '@fenced/core'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '@fenced/executor-docker'
import type { Engine, ImageOptions, ProvidedImage } from '@fenced/sandbox-docker'
import { definedOptions } from '@fenced/shared'
import { type ExecutorPlacement, type Placed, startedExecutor } from '../python-environment.ts'
import type { DockerPythonSettings } from './docker-options.ts'

/**
 * Options of `DockerPythonEnvironment.createExecutor`: the executor's options, and the working directory. They override the
 * environment's options; `env` and `volumes` are merged.
 */
export type CreateDockerExecutorOptions = Omit<
  DockerExecutorOptions,
  'docker' | 'workDir' | keyof ImageOptions
> &
  ExecutorPlacement

/** An image with Python, and what its executors have in common. */
export interface ExecutorSource {
  /** The engine that has the image. A new search could find a different engine. */
  readonly engine: Engine
  readonly image: ProvidedImage
  readonly settings: DockerPythonSettings
}

/**
 * Returns a started executor with a container of the image.
 *
 * @throws FencedError `IMAGE_NOT_FOUND` when the image was removed.
 */
export async function createDockerExecutor(
  { engine, image, settings }: ExecutorSource,
  { workDir, signal, onNotice, ...options }: Placed<CreateDockerExecutorOptions>,
): Promise<DockerCommandLineCodeExecutor> {
  const { keepImage: _, ...common } = settings
  const executor = new DockerCommandLineCodeExecutor({
    ...common,
    ...definedOptions(options),
    env: { ...settings.env, ...options.env },
    volumes: [...settings.volumes, ...(options.volumes ?? [])],
    docker: engine,
    image: image.id,
    pull: 'never',
    build: undefined,
    packages: [],
    requirements: undefined,
    ...(workDir === undefined ? {} : { workDir: workDir.path }),
  })
  try {
    return await startedExecutor(executor, { signal, onNotice })
  } catch (error) {
    throw FencedError.isInstance(error) && error.code === 'IMAGE_NOT_FOUND' ? removed(image, error) : error
  }
}

function removed({ name, id }: ProvidedImage, cause: FencedError): FencedError {
  return new FencedError({
    code: 'IMAGE_NOT_FOUND',
    message: `The image ${name} (${id}) of the Python environment was removed. Call stop(): the next start creates the image again.`,
    data: { image: name, id },
    cause,
  })
}
