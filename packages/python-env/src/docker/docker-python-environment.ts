import { FencedError, type StartOptions } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { checkStartOptions } from '@fenced/core/internal'
import type { DockerCommandLineCodeExecutor } from '@fenced/executor-docker'
import { Engine } from '@fenced/sandbox-docker'
import { type PythonEnvironment, readPlacement, sharedEnvironment } from '../python-environment.ts'
import type { PythonInterpreter } from '../python-interpreter.ts'
import { type CreateDockerExecutorOptions, createDockerExecutor } from './create-docker-executor.ts'
import { CreatedImages } from './created-images.ts'
import {
  type DockerPythonEnvironmentOptions,
  type DockerPythonSettings,
  readDockerOptions,
  readPackages,
} from './docker-options.ts'
import { DockerPython } from './docker-python.ts'
import { inspectPython } from './inspect-python.ts'

/**
 * The Python in a Docker image that is pulled, or built from a Dockerfile. Packages are added as a layer, which later starts
 * reuse. Executors run programs in containers created from the image.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class DockerPythonEnvironment implements PythonEnvironment {
  readonly #settings: DockerPythonSettings
  readonly #created = new CreatedImages()
  readonly #python = sharedEnvironment<DockerPython>(
    (options) => this.#make(options),
    (python) => python.close(() => this.#removeUnlessKept(python.engine)),
  )

  constructor(options: DockerPythonEnvironmentOptions = {}) {
    this.#settings = readDockerOptions(options)
  }

  /**
   * @throws FencedError `PYTHON_NOT_FOUND`, `INSTALL_FAILED`, `REQUIREMENTS_NOT_FOUND`, `BUILD_FAILED`,
   *   `BUILD_CONTEXT_NOT_FOUND`, `IMAGE_NOT_FOUND`, `PULL_FAILED`, `WRONG_PLATFORM`, `ENGINE_UNREACHABLE` and other engine
   *   errors.
   */
  async start(options: StartOptions = {}): Promise<void> {
    await this.#python.get(checkStartOptions(options))
  }

  /** Returns information about the Python. Paths are those in the container. */
  async interpreter(options: StartOptions = {}): Promise<PythonInterpreter> {
    return (await this.#python.get(checkStartOptions(options))).interpreter
  }

  /**
   * Adds a layer with the packages, which executors created afterwards use. Running containers keep their image. After `stop`,
   * the environment contains only the packages from its options.
   */
  async install(packages: readonly string[], options: StartOptions = {}): Promise<void> {
    const wanted = readPackages(packages)
    const python = await this.#python.get(checkStartOptions(options))
    await python.install(wanted, { ...this.#settings, onMade: this.#onMade }, options)
  }

  /**
   * Returns a started executor with a separate container. Files in the working directory belong to the user of this process. With
   * `containerName` and `stopContainer: false`, the container keeps running when the executor is stopped.
   */
  async createExecutor(options: CreateDockerExecutorOptions = {}): Promise<DockerCommandLineCodeExecutor> {
    const placed = readPlacement(options)
    const { engine, image } = await this.#python.get({ signal: options.signal, onNotice: options.onNotice })
    return createDockerExecutor({ engine, image, settings: this.#settings }, placed)
  }

  /**
   * Closes the connection to the engine. With `keepImage: false`, also removes the images that this environment created. The
   * callers of `createExecutor` stop their executors.
   *
   * @throws FencedError `IMAGE_IN_USE` if a container still uses one of the images; `stop` can then be called again.
   */
  async stop(): Promise<void> {
    await this.#python.stop()
    if (this.#settings.keepImage || this.#created.isEmpty) return
    // What could not be removed the last time.
    const engine = await Engine.connect(this.#settings.docker)
    try {
      await this.#removeUnlessKept(engine)
    } finally {
      engine.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  readonly #onMade = (imageId: string): void => this.#created.add(imageId)

  async #make({
    signal,
    onNotice = () => {},
  }: StartOptions & { signal: AbortSignal }): Promise<DockerPython> {
    const engine = await Engine.connect(this.#settings.docker, { signal })
    try {
      return await this.#makeWith(engine, { signal, notice: onNotice })
    } catch (error) {
      // What cannot be removed now can be by `stop`.
      await this.#removeUnlessKept(engine).catch(() => {})
      engine.close()
      throw asMissingPython(error)
    }
  }

  async #makeWith(engine: Engine, context: StartContext): Promise<DockerPython> {
    const image = await engine.provideImage({ ...this.#settings, onMade: this.#onMade }, context)
    const options = { signal: context.signal, onNotice: context.notice }
    const interpreter = await inspectPython({ engine, image, settings: this.#settings }, options)
    return new DockerPython({ engine, image, interpreter })
  }

  async #removeUnlessKept(engine: Engine): Promise<void> {
    if (this.#settings.keepImage) return
    await this.#created.removeAll(engine)
  }
}

/** It is the same fact, whether packages were to be installed or not. */
function asMissingPython(error: unknown): unknown {
  if (!FencedError.isInstance(error) || error.code !== 'IMAGE_WITHOUT_PYTHON') return error
  const { message, data } = error
  return new FencedError({ code: 'PYTHON_NOT_FOUND', message, data, cause: error })
}
