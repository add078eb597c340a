import {
  type ComponentConfig,
  componentConfigSchema,
  type EngineOptions,
  engineOptionsShape,
  languageId,
  parseOptions,
} from '@fenced/core'
import { z } from 'zod'
import {
  type JupyterConnectionInfo,
  type JupyterServer,
  jupyterConnectionInfoSchema,
} from './server/connection-info.ts'

/** The options of `JupyterCodeExecutor`, as a schema: every field is optional. */
export const jupyterExecutorOptionsSchema = z.strictObject({
  ...engineOptionsShape,
  /**
   * A `LocalJupyterServer`, a `DockerJupyterServer`, or where a running Jupyter Server or Kernel Gateway is. The config
   * of one of the first two, `{ provider: 'LocalJupyterServer', version: 1, config: {} }`, makes one that starts and
   * stops with the executor. Default: none. Then the kernel is a process of this one and is spoken to over ZeroMQ, which needs the package
   * `zeromq`.
   */
  server: z
    .union([
      jupyterConnectionInfoSchema,
      componentConfigSchema,
      z.custom<JupyterServer>(
        isServer,
        'is no server: give a LocalJupyterServer, a DockerJupyterServer or { host, port, token }',
      ),
    ])
    .optional(),
  /** The kernel's name, as `jupyter kernelspec list` shows it. Default `python3`. */
  kernelName: z.string().min(1).default('python3'),
  /** The language that the kernel speaks. It is checked at the start. Default `python`. */
  language: z.string().min(1).default('python'),
  /**
   * Where pictures and documents are saved; the kernel's working directory, where it runs on this machine. Made when
   * it is missing. Default: a temporary directory, for this user only, which `stop` removes.
   */
  outputDir: z.string().min(1).optional(),
  /**
   * Without a server: the Python that has ipykernel, as the path of an interpreter or of a virtual environment.
   * Default: the active virtual environment (`VIRTUAL_ENV`), then `python3`, then `python`.
   */
  python: z.string().min(1).optional(),
  /** Without a server: variables for the kernel in addition to those that it gets anyway. Default none. */
  env: z.record(z.string(), z.string()).default({}),
  /** Without a server: whether the kernel sees the whole environment of this process. Default `false`. */
  inheritEnv: z.boolean().default(false),
  /**
   * How long an interrupted cell may take to end, in milliseconds, before the kernel is ended and its variables are
   * lost. Default 2 000.
   */
  interruptGraceMs: z.int().min(0).max(600_000).default(2_000),
  /** How long a kernel may take to be ready, in milliseconds. Default 60 000. */
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
  /**
   * With a server: how often a sign of life is exchanged, in milliseconds. A connection on which the last one was not
   * answered is lost, and made anew; proxies cut what is silent for a minute. Default 20 000.
   */
  keepAliveMs: z.int().min(10).max(3_600_000).default(20_000),
  /** With a server: how long it is tried to restore a lost connection, in milliseconds. Default 30 000. */
  reconnectTimeoutMs: z.int().min(0).max(3_600_000).default(30_000),
})

/** Options of `JupyterCodeExecutor`. */
export type JupyterExecutorOptions = z.input<typeof jupyterExecutorOptionsSchema>

/** The options with every default filled in. */
export type JupyterSettings = EngineOptions & {
  readonly server: JupyterServer | JupyterConnectionInfo | undefined
  readonly kernelName: string
  readonly language: string
  readonly outputDir: string | undefined
  readonly python: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly inheritEnv: boolean
  readonly interruptGraceMs: number
  readonly startTimeoutMs: number
  readonly keepAliveMs: number
  readonly reconnectTimeoutMs: number
}

/** The options before a server was made of its config. */
export type CheckedOptions = Omit<JupyterSettings, 'server'> & {
  readonly server: JupyterSettings['server'] | ComponentConfig
}

export function readOptions(options: JupyterExecutorOptions): CheckedOptions {
  const { server, outputDir, python, language, ...rest } = parseOptions(
    jupyterExecutorOptionsSchema,
    options,
    'JupyterCodeExecutor',
  )
  return { ...rest, server, outputDir, python, language: languageId(language) }
}

function isServer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as JupyterServer).connect === 'function'
}
