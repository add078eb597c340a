import { FencedError } from '@fenced/core'
import { DriverExecutor, givenOptions, HostWorkDirectory, parseOptions } from '@fenced/core/driver'
import { isComponentConfig } from '@fenced/core/internal'
import { networkParticulars } from '@fenced/sandbox/driver'
import { LocalSandbox } from '@fenced/sandbox-local'
import { kernelEnvironment } from './host-python.ts'
import { BubblewrapLauncher } from './kernel/bubblewrap-launcher.ts'
import { DirectKernels } from './kernel/direct-kernel.ts'
import { ForkedLauncher } from './kernel/forked-launcher.ts'
import { HostLauncher } from './kernel/host-launcher.ts'
import type { KernelSource } from './kernel/kernel.ts'
import type { KernelLauncher } from './kernel/kernel-launcher.ts'
import { ServerKernels } from './kernel/server-kernel.ts'
import { setupCode } from './kernel/setup-code.ts'
import { type KernelProtection, kernelExecutor, unprotected } from './kernel-executor.ts'
import {
  type CheckedOptions,
  isServer,
  type JupyterExecutorOptions,
  type JupyterSettings,
  jupyterExecutorOptionsSchema,
} from './options.ts'
import type { JupyterServer } from './server/connection-info.ts'
import { serverAddress } from './server/server-address.ts'
import { type ManagedServer, serverFromConfig } from './server/server-from-config.ts'

/**
 * Runs code blocks as cells in a Jupyter kernel. Variables, imports and the working directory persist between blocks, and results
 * include pictures.
 *
 * Without a `server`, the kernel is a child process of this process. It can do everything that you can do, unless `isolation`
 * runs it in bubblewrap.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class JupyterCodeExecutor extends DriverExecutor {
  /** A server made from a config, which this executor stops. */
  readonly #ownServer: ManagedServer | undefined

  constructor(options: JupyterExecutorOptions = {}) {
    if (isServer(options)) throw serverAsOptions()
    const checked = parseOptions(jupyterExecutorOptionsSchema, options, 'JupyterCodeExecutor')
    const { server, ownServer } = serverOf(checked)
    const settings = { ...checked, server }
    const ofServer = isServer(server) ? server.workDir : undefined
    const workDirectory = new HostWorkDirectory({ path: settings.workDir ?? ofServer })
    const sandbox = settings.isolation === 'none' ? undefined : isolatingSandbox(settings, workDirectory)
    super(
      kernelExecutor(settings, {
        workDirectory,
        source: kernelSource(settings, { sandbox, workDirectory }),
        isGuest: server !== undefined,
        kernelName: settings.kernelName,
        protection: protection(settings, sandbox),
        // Other clients use a kernel that was there before.
        setup: settings.kernelId === undefined ? setupCode(settings, server === undefined) : undefined,
        configuration: {
          provider: 'jupyter',
          options: givenOptions(options, { ...checked, server }),
          secrets: ['env', 'network.secrets', 'server.token', 'server.headers'],
        },
      }),
    )
    this.#ownServer = ownServer
  }

  /** Stops the kernel. Also stops a server that was created from a config, but not a server that was passed in. */
  override async stop(): Promise<void> {
    try {
      await super.stop()
    } finally {
      await this.#ownServer?.stop()
    }
  }

  /** Absolute path of the directory in which pictures and documents are saved. Known before the executor starts. */
  override get workDir(): string {
    return super.workDir ?? ''
  }
}

/** AutoGen takes the server as the first argument. */
function serverAsOptions(): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: 'JupyterCodeExecutor takes options, and a server as one of them. Pass `{ server }`.',
    data: { option: '', suggestion: 'server' },
  })
}

function serverOf({
  server,
}: CheckedOptions): Pick<JupyterSettings, 'server'> & { ownServer?: ManagedServer } {
  if (!isComponentConfig(server)) return { server }
  const ownServer = serverFromConfig(server)
  return { server: ownServer, ownServer }
}

interface KernelPlace {
  /** Which isolates kernels. */
  readonly sandbox: LocalSandbox | undefined
  readonly workDirectory: HostWorkDirectory
}

function kernelSource(settings: JupyterSettings, place: KernelPlace): KernelSource {
  const { server, kernelName, kernelId, env, keepAliveMs, reconnectTimeoutMs } = settings
  if (server === undefined)
    return new DirectKernels({ launcher: kernelLauncher(settings, place), kernelName })
  return new ServerKernels({
    ...{ kernelName, kernelId, env },
    reconnecting: { keepAliveMs, reconnectTimeoutMs },
    locate: async ({ signal, notice }) =>
      serverAddress(isServer(server) ? await server.connect({ signal, onNotice: notice }) : server),
    kernelPath: (directory) => (isServer(server) ? server.kernelPath(directory) : undefined),
  })
}

function kernelLauncher(settings: JupyterSettings, { sandbox, workDirectory }: KernelPlace): KernelLauncher {
  const { python, inheritEnv, warm } = settings
  const env = kernelEnvironment(settings)
  if (sandbox !== undefined) return new BubblewrapLauncher({ sandbox, env })
  const otherwise = new HostLauncher({ python, env })
  if (warm === false) return otherwise
  const unisolated = new LocalSandbox({ python, env: settings.env, inheritEnv }, { workDirectory })
  const preload = warm === true ? [] : warm.preload
  return new ForkedLauncher({ sandbox: unisolated, env, preload, otherwise })
}

function isolatingSandbox(
  { python, isolation, network, readable, memoryBytes, pids, cpus, env, inheritEnv }: JupyterSettings,
  workDirectory: HostWorkDirectory,
): LocalSandbox {
  return new LocalSandbox(
    { python, isolation, network, readable, memoryBytes, pids, cpus, env, inheritEnv },
    // The engine opens it and closes it: it stays at a restart.
    { workDirectory },
  )
}

/** What is not known is not promised. */
function protection(
  { server, network, readable, memoryBytes, pids, cpus }: JupyterSettings,
  sandbox: LocalSandbox | undefined,
): KernelProtection {
  if (isServer(server)) return protectionOf(server)
  if (sandbox === undefined) return unprotected
  const { capabilities } = sandbox
  return {
    isolation: capabilities.isolation,
    isolationParticulars: {
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      ...(pids === undefined ? {} : { pids }),
      ...(cpus === undefined ? {} : { cpus }),
      ...networkParticulars(network),
      ...(readable.length === 0 ? {} : { readable: readable.join(', ') }),
    },
    network: capabilities.network,
    connections: sandbox.network,
    limits: capabilities.limits,
    bounded: sandbox,
  }
}

function protectionOf(server: JupyterServer): KernelProtection {
  const { isolation, isolationParticulars, network, connections, limits } = server
  const particulars = isolationParticulars === undefined ? {} : { isolationParticulars }
  return { isolation, ...particulars, network, connections, limits, bounded: server }
}
