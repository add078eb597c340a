import { randomBytes } from 'node:crypto'
import type {
  ComponentConfig,
  LimitsInForce,
  NetworkAccess,
  StartOptions,
  ToConfigOptions,
} from '@fenced/core'
import { givenOptions } from '@fenced/core/driver'
import { checkStartOptions, DirectoryLease, SharedStart, toComponentConfig } from '@fenced/core/internal'
import { networkAccess } from '@fenced/sandbox/driver'
import { boundedBy, Engine } from '@fenced/sandbox-docker'
import type { JupyterConnection, JupyterServer } from '../connection-info.ts'
import { pathBelow } from '../guest-server.ts'
import { stoppedError } from '../server-error.ts'
import { type ContainerServer, defaultDockerfile, startContainerServer } from './container-server.ts'
import {
  type DockerJupyterServerOptions,
  type DockerServerSettings,
  readDockerServerOptions,
} from './docker-server-options.ts'

/**
 * A Jupyter Server in a container, for any number of executors, each with a separate kernel. The server starts when the first
 * executor needs it. Its container is removed by `stop`, or when this process ends.
 *
 * The kernels have no network access unless `network` allows it, have no capabilities, and share limits on memory, CPUs and
 * processes. Clients connect through the engine, which can be on another machine: executors directly, and other clients through a
 * port on 127.0.0.1.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class DockerJupyterServer implements JupyterServer, AsyncDisposable {
  /** Dockerfile of the default image, which your own image can build on. */
  static readonly DEFAULT_DOCKERFILE: string = defaultDockerfile
  readonly isolation = 'container'
  readonly network: NetworkAccess
  readonly limits: JupyterServer['limits']
  readonly isolationParticulars: NonNullable<JupyterServer['isolationParticulars']>
  readonly workDir: string | undefined
  readonly #settings: DockerServerSettings
  readonly #given: Readonly<Record<string, unknown>>
  readonly #token: string
  #limits: LimitsInForce | undefined
  readonly #server = new SharedStart<{ readonly engine: Engine; readonly server: ContainerServer }>({
    start: (options) => this.#start(options),
    stop: async ({ engine, server }) => {
      await server.stop()
      await engine[Symbol.asyncDispose]()
    },
    stoppedError,
  })

  constructor(options: DockerJupyterServerOptions = {}) {
    this.#settings = readDockerServerOptions(options)
    this.#given = givenOptions(options, { ...this.#settings, workDir: options.workDir })
    this.#token = this.#settings.token ?? randomBytes(32).toString('hex')
    this.workDir = this.#settings.workDir
    this.network = networkAccess(this.#settings.network)
    const { memoryBytes, cpus, pids, runtime } = this.#settings
    this.isolationParticulars = { memoryBytes, cpus, pids, ...(runtime === undefined ? {} : { runtime }) }
    this.limits = boundedBy(this.#settings)
  }

  get limitsInForce(): LimitsInForce | undefined {
    return this.#limits
  }

  /**
   * Starts the server unless it is running. Returns its address.
   *
   * @throws FencedError `ENGINE_UNREACHABLE` and other engine errors; `IMAGE_NOT_FOUND` and other image errors;
   *   `PORT_TAKEN`, `WORK_DIR_NOT_SHARED`, `WORK_DIR_SHARED`, `JUPYTER_NOT_INSTALLED`, `JUPYTER_START_FAILED`.
   */
  async connect(options: StartOptions = {}): Promise<JupyterConnection> {
    const { server } = await this.#server.get(checkStartOptions(options))
    return server.connect(options)
  }

  /** Returns the server's path for a directory on this machine, or for `/workspace` if the kernels cannot see the directory. */
  kernelPath(directory: string): string {
    return this.workDir === undefined ? '' : pathBelow(this.workDir, directory)
  }

  /** Removes the container and all its kernels. Idempotent; `connect` starts a new container. */
  async stop(): Promise<void> {
    await this.#server.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Returns the options as plain data. Secrets are left out, and their names are listed. */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    const description = {
      provider: 'DockerJupyterServer',
      options: this.#given,
      secrets: ['env', 'installEnv', 'token'],
    }
    return toComponentConfig(description, options)
  }

  async #start({ signal, onNotice = () => {} }: StartOptions & { readonly signal: AbortSignal }) {
    // The sandbox takes the lease, too, but only once its image is there, which can take minutes.
    const lease = new DirectoryLease({ isolation: 'container' })
    lease.take(this.workDir)
    lease.release()
    const engine = await Engine.connect(this.#settings.docker, { signal })
    try {
      const parts = { engine, settings: this.#settings, token: this.#token }
      const server = await startContainerServer(parts, { signal, notice: onNotice })
      this.#limits = server.limits
      return { engine, server }
    } catch (error) {
      await engine[Symbol.asyncDispose]()
      throw error
    }
  }
}
