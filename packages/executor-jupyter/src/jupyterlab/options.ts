import { type ExecutorOptions, parseOptions } from '@fenced/core/driver'
import { languageId } from '@fenced/core/internal'
import type { Kernel } from '@jupyterlab/services'
import { z } from 'zod'
import { type JupyterExecutorOptions, type KernelSettings, kernelOptionsShape } from '../options.ts'

/** Starts a kernel and connects to it. */
export type StartConnection = (options: StartConnectionOptions) => Promise<Kernel.IKernelConnection>

/** What a `StartConnection` gets. */
export interface StartConnectionOptions {
  /** Absolute path of the executor's directory on this machine, for a server that has the same files. */
  readonly directory: string
  /** Aborted when the start is cancelled or takes too long. A kernel that comes later is ended. */
  readonly signal: AbortSignal
}

/** A kernel of a Jupyter server to which `@jupyterlab/services` connects. */
export interface JupyterLabServer {
  /**
   * A connection to a running kernel. Fenced changes nothing in this kernel: `stop` leaves it running and the connection open, and after
   * `restart` it keeps its variables. A cell that does not stop within `interruptGraceMs` makes the server restart the kernel, with the
   * notice `state-lost`.
   *
   * A function starts a kernel for this executor alone, which `stop` ends: `() => manager.startNew({ name: 'python3' })`.
   */
  readonly connection: Kernel.IKernelConnection | StartConnection
}

/** Options of `JupyterCodeExecutor` with a connection of `@jupyterlab/services`. */
export interface JupyterLabExecutorOptions
  extends ExecutorOptions,
    Pick<JupyterExecutorOptions, 'language' | 'outputDir' | 'interruptGraceMs' | 'startTimeoutMs'> {
  /** The kernel, by a connection of `@jupyterlab/services`. */
  readonly server: JupyterLabServer
}

const schema = z.strictObject({
  ...kernelOptionsShape,
  server: z.strictObject({
    connection: z.custom<JupyterLabServer['connection']>(isConnection, {
      error: 'must be a connection of @jupyterlab/services to a kernel, or a function that returns one',
    }),
  }),
})

export function readOptions(options: JupyterLabExecutorOptions): KernelSettings & JupyterLabExecutorOptions {
  const { language, ...rest } = parseOptions(schema, options, 'JupyterCodeExecutor')
  return { ...rest, language: languageId(language) }
}

function isConnection(value: unknown): boolean {
  return typeof value === 'function' || typeof Object(value).sendShellMessage === 'function'
}
