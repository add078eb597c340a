import { randomBytes } from 'node:crypto'
import {
  FencedError,
  type Isolation,
  type LimitsInForce,
  type NetworkAccess,
  type StartOptions,
} from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { checkStartOptions, SharedStart } from '@fenced/core/internal'
import type { ExecutorSandbox } from '@fenced/core/sandbox'
import { raceAbort } from '@fenced/shared'
import { answering } from './answering.ts'
import type { JupyterConnection, JupyterServer } from './connection-info.ts'
import { GuestServer, pathBelow } from './guest-server.ts'
import { notInstalledExitCode } from './launch-options.ts'
import {
  type SandboxJupyterServerOptions,
  type SandboxServerSettings,
  sandboxJupyterServerOptionsSchema,
} from './sandbox-server-options.ts'
import { StartFault, startFailed, stoppedError } from './server-error.ts'

interface RunningServer {
  readonly server: GuestServer
  readonly connection: JupyterConnection
}

/**
 * A Jupyter Server in a sandbox, reached through `sandbox.connect` instead of a network. It serves any number of executors, each
 * with a separate kernel. The server starts when the first executor needs it. It stops when `stop` is called, its sandbox stops,
 * or this process ends.
 *
 * The sandbox isolates the kernels. They start in its working directory, or in the executor's `workDir` if that is inside the
 * working directory.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 * @example
 * ```ts
 * const sandbox = new DockerSandbox({ image: 'my-image-with-jupyter' })
 * const server = new SandboxJupyterServer({ sandbox })
 * const executor = new JupyterCodeExecutor({ server })
 * ```
 */
export class SandboxJupyterServer implements JupyterServer, AsyncDisposable {
  readonly isolation: Isolation
  readonly network: NetworkAccess
  readonly connections: JupyterServer['connections']
  readonly limits: JupyterServer['limits']
  readonly #settings: SandboxServerSettings
  readonly #token: string
  readonly #server = new SharedStart<RunningServer>({
    start: (options) => this.#start(options),
    stop: ({ server }) => server.stop(),
    isAlive: ({ server }) => server.end === undefined,
    stoppedError,
  })

  constructor(
    options: SandboxJupyterServerOptions,
    parts: {
      /** The token that clients must send. @default a random one */
      readonly token?: string
    } = {},
  ) {
    this.#settings = parseOptions(sandboxJupyterServerOptionsSchema, options, 'SandboxJupyterServer')
    this.#token = parts.token ?? randomBytes(32).toString('hex')
    const { isolation, network, limits } = this.#settings.sandbox.capabilities
    this.isolation = isolation
    this.network = network
    this.connections = this.#settings.sandbox.network
    this.limits = limits
  }

  get limitsInForce(): LimitsInForce | undefined {
    return this.#settings.sandbox.limitsInForce
  }

  /**
   * Starts the server unless it is running. Returns how to connect to it.
   *
   * @throws FencedError `PYTHON_NOT_FOUND`, `JUPYTER_NOT_INSTALLED`, `JUPYTER_START_FAILED`, and errors from the sandbox's
   *   `start`, `which` and `spawn`.
   */
  async connect(options: StartOptions = {}): Promise<JupyterConnection> {
    return (await this.#server.get(checkStartOptions(options))).connection
  }

  /**
   * Returns the server's path for a directory on this machine, or for the working directory if the sandbox does not share that
   * directory.
   */
  kernelPath(directory: string): string {
    const { shared } = this.#settings.sandbox
    return shared === undefined ? '' : pathBelow(shared.hostPath, directory)
  }

  /** Stops the server and all its kernels, but not the sandbox. Idempotent; `connect` starts the server again. */
  async stop(): Promise<void> {
    await this.#server.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #start(options: StartOptions & { readonly signal: AbortSignal }): Promise<RunningServer> {
    const { sandbox } = this.#settings
    if (!('start' in sandbox)) return await this.#startIn(sandbox, options.signal)
    await sandbox.start(options)
    try {
      return await this.#startIn(sandbox, options.signal)
    } catch (error) {
      if (!FencedError.isInstance(error) || error.code !== 'SANDBOX_GONE') throw error
      // The sandbox was lost earlier, and notices it only now.
      await sandbox.start(options)
      return await this.#startIn(sandbox, options.signal)
    }
  }

  async #startIn(sandbox: ExecutorSandbox, signal: AbortSignal): Promise<RunningServer> {
    const python = await this.#findPython(signal)
    const server = await GuestServer.start({ sandbox, python, token: this.#token, signal })
    try {
      const connection = await this.#answering(server, signal)
      // An idle server does not keep the process alive.
      server.unref()
      return { server, connection }
    } catch (error) {
      const { end } = server
      await server.stop()
      signal.throwIfAborted()
      if (end?.kind === 'not-started') throw notFound(end.message, { program: python, reason: end.message })
      throw end?.kind === 'exited' && end.exitCode === notInstalledExitCode
        ? notInstalled(python)
        : startFailed(
            {
              which: `of ${python} in the sandbox`,
              values: { python },
              outputTail: end !== undefined && 'message' in end ? end.message : server.outputTail,
            },
            error,
          )
    }
  }

  async #findPython(signal: AbortSignal): Promise<string> {
    const { python, sandbox } = this.#settings
    if (python !== undefined) return python
    const found = await sandbox.which(['python3', 'python'], { signal })
    const path = found.get('python3') ?? found.get('python')
    if (path === undefined)
      throw notFound('It has neither python3 nor python.', { program: 'python3, python' })
    return path
  }

  async #answering(server: GuestServer, signal: AbortSignal): Promise<JupyterConnection> {
    const { sandbox, startTimeoutMs: timeoutMs } = this.#settings
    const limit = AbortSignal.timeout(timeoutMs)
    const port = await raceAbort(server.port, AbortSignal.any([signal, limit]))
    if (port === undefined) throw new StartFault('it ended.', { data: {} })
    if (port === 'aborted') throw tooLate(timeoutMs)
    const connection = {
      ...{ host: '127.0.0.1', port, token: this.#token },
      open: (options: { readonly signal: AbortSignal }) => sandbox.connect(port, options),
    }
    await answering(connection, { exited: server.ended, timeoutMs, signal })
    return connection
  }
}

function tooLate(timeoutMs: number): StartFault {
  return new StartFault(`it did not listen within ${timeoutMs} ms. Raise \`startTimeoutMs\`.`, {
    data: { limitMs: String(timeoutMs), option: 'startTimeoutMs' },
  })
}

function notFound(why: string, data: Readonly<Record<string, string>>): FencedError {
  return new FencedError({
    code: 'PYTHON_NOT_FOUND',
    message: `Python not found in the sandbox of the Jupyter server. ${why} Set \`python\` to the path of an interpreter, or use another sandbox.`,
    data,
  })
}

function notInstalled(python: string): FencedError {
  const command = `"${python}" -m pip install jupyter-server ipykernel`
  return new FencedError({
    code: 'JUPYTER_NOT_INSTALLED',
    message: `Jupyter Server not found in ${python} of the sandbox. Install it: ${command}`,
    data: { python, command },
  })
}
