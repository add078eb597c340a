import type { ExecutorOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import type { Kernel } from '@jupyterlab/services'
import { type JupyterExecutorOptions, kernelOptionsShape } from '../options.ts'

/** Starts a kernel and connects to it. */
export type StartConnection = (options: StartConnectionOptions) => Promise<Kernel.IKernelConnection>

/** Options passed to a `StartConnection`. */
interface StartConnectionOptions {
  /** Absolute path of the executor's directory on this machine, for a server that can access the same files. */
  readonly directory: string
  /** Aborted when the start is cancelled or takes too long. A kernel that starts afterwards is shut down. */
  readonly signal: AbortSignal
}

/** A kernel on a Jupyter server, reached through `@jupyterlab/services`. */
export interface JupyterLabServer {
  /**
   * A connection to a running kernel. Fenced does not modify this kernel: `stop` leaves it running and the connection open, and
   * its variables survive `restart`. If a cell does not stop within `interruptGraceMs`, the server restarts the kernel, and the
   * notice `state-lost` is reported.
   *
   * A function instead starts a kernel for this executor alone, which `stop` shuts down:
   * `() => manager.startNew({ name: 'python3' })`.
   */
  readonly connection: Kernel.IKernelConnection | StartConnection
}

/** Options of `JupyterCodeExecutor` with a connection from `@jupyterlab/services`. */
export interface JupyterLabExecutorOptions
  extends ExecutorOptions,
    Pick<JupyterExecutorOptions, 'language' | 'workDir' | 'interruptGraceMs' | 'startTimeoutMs'> {
  /** The kernel, given as a connection from `@jupyterlab/services`. */
  readonly server: JupyterLabServer
}

export const jupyterLabExecutorOptionsSchema = z.strictObject({
  ...kernelOptionsShape,
  server: z.strictObject({
    connection: z.custom<JupyterLabServer['connection']>(isConnection, {
      error: 'must be a connection of @jupyterlab/services to a kernel, or a function that returns one',
    }),
  }),
})

function isConnection(value: unknown): boolean {
  return typeof value === 'function' || typeof Object(value).sendShellMessage === 'function'
}
