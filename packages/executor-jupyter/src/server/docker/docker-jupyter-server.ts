import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import { type ComponentConfig, FencedError, type StartOptions, type ToConfigOptions } from '@fenced/core'
import { givenOptions, type StartContext } from '@fenced/core/driver'
import { toComponentConfig } from '@fenced/core/internal'
import { SharedStart } from '@fenced/host'
import { type Container, Engine } from '@fenced/sandbox-docker'
import { answering } from '../answering.ts'
import type { JupyterConnectionInfo, JupyterServer } from '../connection-info.ts'
import { launchLine } from '../launch-options.ts'
import { stoppedError } from '../server-error.ts'
import { type AttachedServer, attach } from './attach.ts'
import { defaultDockerfile } from './default-dockerfile.ts'
import {
  type DockerJupyterServerOptions,
  type DockerServerSettings,
  readDockerServerOptions,
} from './docker-server-options.ts'
import { insidePort, serverContainer, workspace } from './server-container.ts'
import { serverImage } from './server-image.ts'

interface RunningServer {
  readonly engine: Engine
  readonly container: Container
  readonly attached: AttachedServer
  readonly info: JupyterConnectionInfo
}

/**
 * A Jupyter Server in a container, for any number of executors, each with a kernel of its own. It starts when the
 * first of them needs it, and its container goes with `stop` or with this process.
 *
 * Kernels in it have no capabilities, and bounds of memory, processors and processes together; they do have a network,
 * because the server is reached through it.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class DockerJupyterServer implements JupyterServer, AsyncDisposable {
  /** The recipe of the image that is used when no other is given. */
  static readonly DEFAULT_DOCKERFILE: string = defaultDockerfile
  readonly isolation = 'container'
  readonly network = true
  readonly limits: JupyterServer['limits']
  readonly isolationParticulars: NonNullable<JupyterServer['isolationParticulars']>
  readonly bindDir: string | undefined
  readonly #settings: DockerServerSettings
  readonly #given: Readonly<Record<string, unknown>>
  readonly #token: string
  readonly #server = new SharedStart<RunningServer>({
    start: (options) => this.#start(options),
    stop: (server) => stopServer(server),
    isAlive: ({ attached }) => !attached.hasEnded,
    stoppedError,
  })

  constructor(options: DockerJupyterServerOptions = {}) {
    this.#settings = readDockerServerOptions(options)
    this.#given = givenOptions(options, { ...this.#settings, bindDir: options.bindDir })
    this.#token = this.#settings.token ?? randomBytes(32).toString('hex')
    this.bindDir = this.#settings.bindDir
    const { memoryBytes, cpus, pids, runtime } = this.#settings
    this.isolationParticulars = { memoryBytes, cpus, pids, ...(runtime === undefined ? {} : { runtime }) }
    this.limits = { memory: memoryBytes !== false, processes: pids !== false }
  }

  /**
   * Starts it unless it runs, and says where it is.
   *
   * @throws FencedError `ENGINE_UNREACHABLE` and others of an engine, `IMAGE_NOT_FOUND` and others of an image,
   * `ENGINE_ELSEWHERE`, `JUPYTER_NOT_INSTALLED`, `JUPYTER_START_FAILED`.
   */
  async connect(options: StartOptions = {}): Promise<JupyterConnectionInfo> {
    return (await this.#server.get(options)).info
  }

  kernelPath(directory: string): string | undefined {
    if (this.bindDir === undefined) return undefined
    const path = relative(this.bindDir, directory)
    return path.startsWith('..') || isAbsolute(path) ? undefined : path.split(sep).join('/')
  }

  /** Removes it with all of its kernels. Calling it again does nothing; `connect` starts it anew. */
  async stop(): Promise<void> {
    await this.#server.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** What it is made of, as plain data. Secrets are left out and named. */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    const description = {
      provider: 'DockerJupyterServer',
      options: this.#given,
      secrets: ['env', 'installEnv', 'token'],
    }
    return toComponentConfig(description, options)
  }

  async #start({ signal = new AbortController().signal, onNotice = () => {} }: StartOptions) {
    const engine = await Engine.connect(this.#settings.docker, { signal })
    try {
      if (!engine.isLocal) throw elsewhere(engine)
      return await this.#startIn(engine, { signal, notice: onNotice })
    } catch (error) {
      await engine[Symbol.asyncDispose]()
      throw error
    }
  }

  async #startIn(engine: Engine, context: StartContext): Promise<RunningServer> {
    const settings = this.#settings
    if (settings.bindDir !== undefined) await mkdir(settings.bindDir, { recursive: true })
    const [image, user] = await Promise.all([
      serverImage(engine, settings, context),
      settings.user ?? engine.defaultUser(context),
      engine.removeLeftovers(context),
    ])
    const request = serverContainer(settings, { image, user })
    const container = await engine.startContainer(request, context)
    let attached: AttachedServer | undefined
    try {
      attached = await attachWithin(settings.startTimeoutMs, container, context.signal)
      const application = { ip: '0.0.0.0', port: insidePort, token: this.#token, root: workspace }
      attached.write(launchLine(application))
      const info = {
        host: '127.0.0.1',
        port: await publishedPort(container, context.signal),
        token: this.#token,
      }
      await answering(info, {
        exited: attached.ended,
        timeoutMs: settings.startTimeoutMs,
        signal: context.signal,
      })
      return { engine, container, attached, info }
    } catch (error) {
      const lastWords = attached?.lastWords
      await stopContainer(container, attached)
      context.signal.throwIfAborted()
      // It may have ended before anybody listened.
      const mayHaveEnded = attached !== undefined || isGone(error)
      const askAgain = async () => (await container.whyItEnded(context)).message
      throw startFailed(image.name, lastWords || (mayHaveEnded ? await askAgain() : ''), error)
    }
  }
}

/** @throws Error when the engine lets nobody listen in this time. */
async function attachWithin(
  limitMs: number,
  container: Container,
  signal: AbortSignal,
): Promise<AttachedServer> {
  const limit = AbortSignal.timeout(limitMs)
  try {
    return await attach(container, AbortSignal.any([signal, limit]))
  } catch (error) {
    if (!limit.aborted) throw error
    throw new Error(`the engine did not attach to it within ${limitMs} ms.`, { cause: error })
  }
}

async function stopServer({ engine, container, attached }: RunningServer): Promise<void> {
  await stopContainer(container, attached)
  await engine[Symbol.asyncDispose]()
}

async function stopContainer(container: Container, attached: AttachedServer | undefined): Promise<void> {
  attached?.close()
  await container.remove()
}

async function publishedPort(container: Container, signal: AbortSignal): Promise<number> {
  const port = await container.publishedPort(insidePort, { signal })
  if (port === undefined) throw new Error('its container has no published port, or has ended.')
  return port
}

/** Whether the container was not there any more when it was used. */
function isGone(error: unknown): boolean {
  return FencedError.isInstance(error) && error.code === 'SANDBOX_GONE'
}

function elsewhere({ endpoint }: Engine): FencedError {
  return new FencedError({
    code: 'ENGINE_ELSEWHERE',
    message: `The Docker engine at ${endpoint.address} is not on this machine, and the server is published on 127.0.0.1 of the engine's machine only. Start a Jupyter server there, and give the executor its address as \`server\`.`,
  })
}

function startFailed(image: string, words: string, cause: unknown): FencedError {
  if (words.endsWith('There is no jupyter_server.') || /python3.*no such file/i.test(words)) {
    return new FencedError({
      code: 'JUPYTER_NOT_INSTALLED',
      message: `The image ${image} has no Jupyter server: it needs a python3 with jupyter-server and ipykernel. Leave \`image\` out for our own, or build on DockerJupyterServer.DEFAULT_DOCKERFILE.`,
      cause,
    })
  }
  const why = cause instanceof Error ? cause.message : String(cause)
  return new FencedError({
    code: 'JUPYTER_START_FAILED',
    message: `The Jupyter server in a container of ${image} did not start: ${why}\n${words === '' ? 'It wrote nothing.' : `The end of what it wrote:\n${words}`}`,
    cause,
  })
}
