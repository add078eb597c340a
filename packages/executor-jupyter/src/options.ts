import type { ComponentConfig } from '@fenced/core'
import { type ExecutorOptions, engineOptionsShape, parseOptions } from '@fenced/core/driver'
import { componentConfigSchema, languageId } from '@fenced/core/internal'
import { type LocalSandboxOptions, localSandboxShape, requireIsolation } from '@fenced/sandbox-local'
import { z } from 'zod'
import {
  type JupyterConnectionInfo,
  type JupyterServer,
  jupyterConnectionInfoSchema,
} from './server/connection-info.ts'

/** Options of `JupyterCodeExecutor`. */
export interface JupyterExecutorOptions
  extends ExecutorOptions,
    Pick<LocalSandboxOptions, 'isolation' | 'network' | 'readable' | 'memoryBytes' | 'pids' | 'cpus'> {
  /**
   * A `LocalJupyterServer`, a `DockerJupyterServer`, a `SandboxJupyterServer`, or the address of a running Jupyter Server or Kernel
   * Gateway. The config of one of the first two, `{ provider: 'LocalJupyterServer', version: 1, config: {} }`, creates a server that
   * starts and stops with the executor. Without a server the kernel is a child process, connected over ZeroMQ, which needs the
   * package `zeromq`.
   *
   * @default none
   */
  readonly server?: JupyterServer | JupyterConnectionInfo | ComponentConfig | undefined
  /**
   * With a server: the id of a running kernel to use, as `GET api/kernels` of the server lists it. Fenced changes nothing in
   * this kernel. `stop` leaves it running, and `restart` connects to it again: its variables are kept. A cell that does not stop within
   * `interruptGraceMs` makes the server restart the kernel, with the notice `state-lost`.
   *
   * @default none: a new kernel
   */
  readonly kernelId?: string | undefined
  /**
   * The kernel's name, as `jupyter kernelspec list` shows it.
   *
   * @default 'python3'
   */
  readonly kernelName?: string | undefined
  /**
   * The language that the kernel speaks. It is checked at the start.
   *
   * @default 'python'
   */
  readonly language?: string | undefined
  /**
   * Where pictures and documents are saved; the kernel's working directory, where it runs on this machine. Made when
   * it is missing.
   *
   * @default a temporary directory, for this user only, which `stop` removes
   */
  readonly outputDir?: string | undefined
  /**
   * Without a server: the Python that has ipykernel, as the path of an interpreter or of a virtual environment.
   *
   * @default the active virtual environment (`VIRTUAL_ENV`), then `python3`, then `python`
   */
  readonly python?: string | undefined
  /**
   * Variables for the kernel in addition to those that it gets anyway. With a server they are sent with the request for the
   * kernel: a Kernel Gateway and an Enterprise Gateway take those that they allow, such as `KERNEL_USERNAME`; a Jupyter Server ignores them.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * Without a server: whether the kernel sees the whole environment of this process.
   *
   * @default false
   */
  readonly inheritEnv?: boolean | undefined
  /**
   * Without a server and isolation, on Linux: whether a kernel is a fork of a Python of this process that has imported ipykernel, where
   * that is there already. It takes a fraction of a kernel's start.
   *
   * @default true
   */
  readonly warm?: boolean | undefined
  /**
   * How long an interrupted cell may take to end, in milliseconds, before the kernel is ended and its variables are
   * lost.
   *
   * @default 2_000
   */
  readonly interruptGraceMs?: number | undefined
  /**
   * How long a kernel may take to be ready, in milliseconds.
   *
   * @default 60_000
   */
  readonly startTimeoutMs?: number | undefined
  /**
   * With a server: interval of pings, in milliseconds. A connection with an unanswered ping is lost, and is opened again. Proxies
   * close connections that are silent for a minute.
   *
   * @default 20_000
   */
  readonly keepAliveMs?: number | undefined
  /**
   * With a server: time limit for restoring a lost connection, in milliseconds.
   *
   * @default 30_000
   */
  readonly reconnectTimeoutMs?: number | undefined
}

/** Fields of every executor with a kernel. */
export const kernelOptionsShape = {
  ...engineOptionsShape,
  language: z.string().min(1).default('python'),
  outputDir: z.string().min(1).optional(),
  interruptGraceMs: z.int().min(0).max(600_000).default(2_000),
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
}

const kernelOptionsSchema = z.strictObject(kernelOptionsShape)

/** The options of every executor with a kernel, with every default filled in. */
export type KernelSettings = z.output<typeof kernelOptionsSchema>

// An interrupted cell has its own grace period: `interruptGraceMs`.
const { killGraceMs: _, ...sandboxShape } = localSandboxShape

/** The options of `JupyterCodeExecutor`, as a schema: every field is optional. */
export const jupyterExecutorOptionsSchema = requireIsolation(
  z.strictObject({
    ...kernelOptionsShape,
    ...sandboxShape,
    server: z
      .union([jupyterConnectionInfoSchema, componentConfigSchema, z.custom<JupyterServer>(isServer)], {
        error:
          'must be a LocalJupyterServer, a DockerJupyterServer, a SandboxJupyterServer, or where a server is: { host, port, token, useHttps, baseUrl }',
      })
      .optional(),
    kernelName: z.string().min(1).default('python3'),
    kernelId: z
      .string()
      .regex(/^[\w-]{1,128}$/, 'must be the id of a kernel')
      .optional(),
    warm: z.boolean().default(true),
    keepAliveMs: z.int().min(10).max(3_600_000).default(20_000),
    reconnectTimeoutMs: z.int().min(0).max(3_600_000).default(30_000),
  }),
)
  .refine(({ isolation, server }) => isolation === 'none' || server === undefined, {
    path: ['isolation'],
    error: 'is for a kernel without a server: with one, choose a server that isolates',
  })
  .refine(({ kernelId, server }) => kernelId === undefined || server !== undefined, {
    path: ['kernelId'],
    error: 'is for a kernel of a server: give the `server`, too',
  })

/** The options before a server was made of its config. */
export type CheckedOptions = z.output<typeof jupyterExecutorOptionsSchema>

/** The options with every default filled in. */
export type JupyterSettings = Omit<CheckedOptions, 'server'> & {
  readonly server?: JupyterServer | JupyterConnectionInfo | undefined
}

export function readOptions(options: JupyterExecutorOptions): CheckedOptions {
  const { language, ...rest } = parseOptions(jupyterExecutorOptionsSchema, options, 'JupyterCodeExecutor')
  return { ...rest, language: languageId(language) }
}

function isServer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as JupyterServer).connect === 'function'
}
