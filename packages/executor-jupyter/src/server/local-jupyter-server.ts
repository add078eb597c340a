import { randomBytes } from 'node:crypto'
import { dirname, parse, relative, sep } from 'node:path'
import { type ComponentConfig, FencedError, type StartOptions, type ToConfigOptions } from '@fenced/core'
import { givenOptions, parseOptions } from '@fenced/core/driver'
import { checkStartOptions, SharedStart, TemporaryDirectory, toComponentConfig } from '@fenced/core/internal'
import { ResidentProcess, withPathFirst } from '@fenced/host'
import { findKernelPython, kernelEnvironment, unlessAborted } from '../host-python.ts'
import { pythonSource } from '../python-source.ts'
import { inTemporaryFiles } from '../temporary-files.ts'
import { answering } from './answering.ts'
import type { JupyterConnectionInfo, JupyterServer } from './connection-info.ts'
import { checkPort, findFreePort } from './free-port.ts'
import { launchLine, notInstalledExitCode } from './launch-options.ts'
import {
  type LocalJupyterServerOptions,
  type LocalServerSettings,
  localJupyterServerOptionsSchema,
} from './local-server-options.ts'
import { startFailed, stoppedError } from './server-error.ts'

/** Grace period for ending the kernels and the server, in milliseconds. */
const stopGraceMs = 3_000

/** Number of attempts with a free port. */
const mostAttempts = 3

interface RunningServer {
  readonly process: ResidentProcess
  readonly info: JupyterConnectionInfo
  readonly folder: TemporaryDirectory
}

/**
 * A Jupyter Server on this machine, for any number of executors, each with a separate kernel. The server starts when the first
 * executor needs it. It stops when `stop` is called or this process ends.
 *
 * Its kernels are not isolated: they can do everything that you can do.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class LocalJupyterServer implements JupyterServer, AsyncDisposable {
  readonly isolation = 'none'
  readonly network = 'open'
  readonly limits = { memory: false, processes: false }
  readonly #settings: LocalServerSettings
  readonly #given: Readonly<Record<string, unknown>>
  readonly #token: string
  readonly #server = new SharedStart<RunningServer>({
    start: (options) => this.#start(options),
    stop: (server) => this.#stop(server),
    isAlive: ({ process }) => !process.hasExited,
    stoppedError,
  })

  constructor(options: LocalJupyterServerOptions = {}) {
    this.#settings = parseOptions(localJupyterServerOptionsSchema, options, 'LocalJupyterServer')
    this.#given = givenOptions(options, this.#settings)
    this.#token = this.#settings.token ?? randomBytes(32).toString('hex')
  }

  /**
   * Starts the server unless it is running. Returns its address.
   *
   * @throws FencedError `JUPYTER_NOT_INSTALLED`, `PYTHON_NOT_FOUND`, `PORT_TAKEN`, `JUPYTER_START_FAILED`.
   */
  async connect(options: StartOptions = {}): Promise<JupyterConnectionInfo> {
    return (await this.#server.get(checkStartOptions(options))).info
  }

  kernelPath(directory: string): string | undefined {
    return relative(parse(directory).root, directory).split(sep).join('/')
  }

  /** Stops the server and all its kernels. Idempotent; `connect` starts it again. */
  async stop(): Promise<void> {
    await this.#server.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Returns the options as plain data. Secrets are left out, and their names are listed. */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    const description = { provider: 'LocalJupyterServer', options: this.#given, secrets: ['env', 'token'] }
    return toComponentConfig(description, options)
  }

  async #start({ signal }: StartOptions): Promise<RunningServer> {
    const { ip, port } = this.#settings
    if (port !== undefined) await checkPort(ip, port)
    const python = await unlessAborted(findKernelPython(this.#settings.python), signal)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#startOn(port ?? (await findFreePort(ip)), { python, signal })
      } catch (error) {
        // Another process can take a free port before the server does.
        if (port !== undefined || attempt === mostAttempts || !isPortTaken(error)) throw error
      }
    }
  }

  async #startOn(
    port: number,
    { python, signal }: { python: string; signal: AbortSignal | undefined },
  ): Promise<RunningServer> {
    const folder = await inTemporaryFiles(() => TemporaryDirectory.make())
    const process = this.#spawn(python, { folder: folder.path, port })
    const info = { host: this.#settings.ip, port, token: this.#token }
    try {
      await answering(info, { exited: process.exited, timeoutMs: this.#settings.startTimeoutMs, signal })
      // An idle server does not keep the process alive.
      process.setRef(false)
      return { process, info, folder }
    } catch (error) {
      const hadExited = process.hasExited ? await process.exited : undefined
      await this.#stop({ process, info, folder })
      signal?.throwIfAborted()
      throw hadExited?.code === notInstalledExitCode
        ? notInstalled(python)
        : startFailed({ which: `of ${python}`, values: { python }, outputTail: process.stderrTail }, error)
    }
  }

  #spawn(python: string, { folder, port }: { folder: string; port: number }): ResidentProcess {
    const environment = kernelEnvironment(this.#settings)
    const process = new ResidentProcess({
      command: [python, '-c', pythonSource('server_launcher')],
      cwd: folder,
      env: {
        // A `!` line runs the `pip` and `python` of the kernel.
        ...withPathFirst(environment, dirname(python)),
        // Ignores the user's own configuration of notebooks, with its passwords and ports.
        JUPYTER_NO_CONFIG: '1',
      },
      stdin: true,
    })
    const place = {
      ip: this.#settings.ip,
      port,
      token: this.#token,
      root: parse(folder).root,
    }
    process.write(launchLine(place))
    return process
  }

  async #stop({ process, folder }: RunningServer): Promise<void> {
    process.setRef(true)
    await process.end(stopGraceMs)
    await folder.remove()
  }
}

function isPortTaken(error: unknown): boolean {
  const outputTail = (FencedError.isInstance(error) && error.data?.output) || ''
  return /port \d+ is (not available|already in use)|Address already in use/i.test(outputTail)
}

function notInstalled(python: string): FencedError {
  const command = `"${python}" -m pip install jupyter-server ipykernel`
  return new FencedError({
    code: 'JUPYTER_NOT_INSTALLED',
    message: `Jupyter Server not found in ${python}. Install it: ${command}`,
    data: { python, command },
  })
}
