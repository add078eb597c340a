import { FencedError } from '@fenced/core'
import { definedOptions } from '@fenced/core/internal'
import { DockerCommandLineCodeExecutor, type DockerExecutorOptions } from '@fenced/executor-docker'
import type { Engine, ImageOptions, ProvidedImage } from '@fenced/sandbox-docker'
import { type ExecutorPlacement, type Placed, startedExecutor } from '../python-environment.ts'
import type { DockerPythonSettings } from './docker-options.ts'

/**
 * Options of `DockerPythonEnvironment.createExecutor`: those of its executor, and where programs run. They go before
 * those of the environment; its `env` and `volumes` are added to.
 */
export type CreateDockerExecutorOptions = Omit<
  DockerExecutorOptions,
  'docker' | 'workDir' | keyof ImageOptions
> &
  ExecutorPlacement

/** An image with Python, and what its executors have in common. */
export interface ExecutorSource {
  /** The engine that has the image: another one may be found by now. */
  readonly engine: Engine
  readonly image: ProvidedImage
  readonly settings: DockerPythonSettings
}

/**
 * A started executor with a container of the image.
 *
 * @throws FencedError `IMAGE_NOT_FOUND` when somebody has removed it.
 */
export async function createDockerExecutor(
  { engine, image, settings }: ExecutorSource,
  { workingDirectory, signal, onNotice, ...options }: Placed<CreateDockerExecutorOptions>,
): Promise<DockerCommandLineCodeExecutor> {
  const { keepImage: _, ...common } = settings
  const executor = new DockerCommandLineCodeExecutor({
    ...common,
    ...definedOptions(options),
    env: { ...settings.env, ...options.env },
    volumes: [...settings.volumes, ...(options.volumes ?? [])],
    ...{
      docker: engine,
      image: image.id,
      pull: 'never',
      build: undefined,
      packages: [],
      requirements: undefined,
    },
    ...(workingDirectory === undefined ? {} : { workDir: workingDirectory.path }),
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
    message: `The image ${name} (${id}) of the Python environment is not there any more: somebody has removed it. After stop(), the environment makes it again.`,
    data: { image: name, id },
    cause,
  })
}
