import { DriverExecutor, givenOptions, HostWorkDirectory, parseOptions } from '@fenced/core/driver'
import { setupCode } from '../kernel/setup-code.ts'
import { kernelExecutor, unprotected } from '../kernel-executor.ts'
import { ConnectedKernels } from './connected-kernels.ts'
import { type JupyterLabExecutorOptions, jupyterLabExecutorOptionsSchema } from './options.ts'

export type {
  JupyterLabExecutorOptions,
  JupyterLabServer,
} from './options.ts'

/**
 * Runs code blocks as cells in a Jupyter kernel, over a connection from `@jupyterlab/services`: for programs that already have
 * such a connection, including its login. The server determines the isolation, which the executor cannot know.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 * @example
 * ```ts
 * const manager = new KernelManager({ serverSettings })
 * const executor = new JupyterCodeExecutor({ server: { connection: () => manager.startNew({ name: 'python3' }) } })
 * ```
 */
export class JupyterCodeExecutor extends DriverExecutor {
  constructor(options: JupyterLabExecutorOptions) {
    const settings = parseOptions(jupyterLabExecutorOptionsSchema, options, 'JupyterCodeExecutor')
    const { connection } = settings.server
    const isOwn = typeof connection === 'function'
    super(
      kernelExecutor(settings, {
        workDirectory: new HostWorkDirectory({ path: settings.workDir }),
        source: new ConnectedKernels(connection),
        isGuest: true,
        kernelName: isOwn ? 'of `connection`' : connection.name,
        protection: unprotected,
        // Other clients use a kernel that was there before.
        setup: isOwn ? setupCode(settings, false) : undefined,
        configuration: { provider: 'jupyter', options: givenOptions(options, settings) },
      }),
    )
  }

  /** Absolute path of the directory in which pictures and documents are saved. Known before the executor starts. */
  override get workDir(): string {
    return super.workDir ?? ''
  }
}
