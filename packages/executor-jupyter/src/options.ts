import type { ComponentConfig } from '@fenced/core'
import { type ExecutorOptions, engineOptionsShape } from '@fenced/core/driver'
import { componentConfigSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { languageId } from '@fenced/markdown'
import { type WarmOption, warmOptionSchema } from '@fenced/sandbox'
import { type LocalSandboxOptions, localSandboxShape, requireIsolation } from '@fenced/sandbox-local'
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
   * A `LocalJupyterServer`, `DockerJupyterServer` or `SandboxJupyterServer`, or the address of a running Jupyter Server or Kernel
   * Gateway. A config of one of the first two, `{ provider: 'LocalJupyterServer', version: 1, config: {} }`, creates a server
   * that starts and stops with the executor. Without a server, the kernel is a child process connected over ZeroMQ, which
   * requires the package `zeromq`.
   *
   * @default none
   */
  readonly server?: JupyterServer | JupyterConnectionInfo | ComponentConfig | undefined
  /**
   * With a server: id of a running kernel to use, as listed by the server's `GET api/kernels`. Fenced does not modify this
   * kernel: `stop` leaves it running, and `restart` reconnects to it, so its variables are kept. If a cell does not stop within
   * `interruptGraceMs`, the server restarts the kernel, and the notice `state-lost` is reported.
   *
   * @default none: a new kernel
   */
  readonly kernelId?: string | undefined
  /**
   * Name of the kernel, as shown by `jupyter kernelspec list`.
   *
   * @default 'python3'
   */
  readonly kernelName?: string | undefined
  /**
   * Language of the kernel, checked at startup.
   *
   * @default 'python'
   */
  readonly language?: string | undefined
  /**
   * Working directory, created if it is missing. Pictures and documents are saved there. If the kernel can see the directory, it
   * starts there.
   *
   * @default a temporary directory, for this user only, which `stop` removes
   */
  readonly workDir?: string | undefined
  /**
   * Without a server: the Python installation with ipykernel, as the path of an interpreter or of a virtual environment.
   *
   * @default the active virtual environment (`VIRTUAL_ENV`), then `python3`, then `python`
   */
  readonly python?: string | undefined
  /**
   * Environment variables for the kernel, in addition to the default ones. With a server, they are sent with the request to start
   * the kernel: Kernel Gateway and Enterprise Gateway accept the variables that they allow, such as `KERNEL_USERNAME`; Jupyter
   * Server ignores them.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * Without a server: whether the kernel inherits all environment variables of this process.
   *
   * @default false
   */
  readonly inheritEnv?: boolean | undefined
  /**
   * Without a server or isolation, on Linux: whether kernels are forked, when possible, from a resident Python that has already
   * imported ipykernel. Forking takes a fraction of a kernel's normal startup time. With `{ preload: ['numpy'] }`, it also
   * imports these modules.
   *
   * @default true
   */
  readonly warm?: WarmOption | undefined
  /**
   * Grace period for an interrupted cell, in milliseconds. If the cell is still running afterwards, the kernel is stopped and its
   * variables are lost.
   *
   * @default 2_000
   */
  readonly interruptGraceMs?: number | undefined
  /**
   * Time limit for a kernel to become ready, in milliseconds.
   *
   * @default 60_000
   */
  readonly startTimeoutMs?: number | undefined
  /**
   * With a server: interval between pings, in milliseconds. If a ping is not answered, the connection is considered lost and is
   * reopened. Proxies close connections that are silent for a minute.
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
  language: z
    .string()
    .min(1)
    .default('python')
    .transform((name) => languageId(name)),
  workDir: z.string().min(1).optional(),
  interruptGraceMs: z.int().min(0).max(600_000).default(2_000),
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
}

const kernelOptionsSchema = z.strictObject(kernelOptionsShape)

/** The options of every executor with a kernel, with every default filled in. */
export type KernelSettings = z.output<typeof kernelOptionsSchema>

// An interrupted cell has its own grace period: `interruptGraceMs`.
const { killGraceMs: _, ...sandboxShape } = localSandboxShape

/** Schema for the options of `JupyterCodeExecutor`. All fields are optional. */
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
    warm: warmOptionSchema,
    keepAliveMs: z.int().min(10).max(3_600_000).default(20_000),
    reconnectTimeoutMs: z.int().min(0).max(3_600_000).default(30_000),
  }),
)
  .refine(
    ({ warm, isolation, server }) =>
      typeof warm !== 'object' || (isolation === 'none' && server === undefined),
    {
      path: ['warm'],
      error: 'can preload modules only without a server and without isolation',
    },
  )
  .refine(({ isolation, server }) => isolation === 'none' || server === undefined, {
    path: ['isolation'],
    error: 'is for a kernel without a server: with one, choose a server that isolates',
  })
  .refine(({ kernelId, server }) => kernelId === undefined || server !== undefined, {
    path: ['kernelId'],
    error: 'is for a kernel on a server: set `server` too',
  })

/** The options before a server was made of its config. */
export type CheckedOptions = z.output<typeof jupyterExecutorOptionsSchema>

/** The options with every default filled in. */
export type JupyterSettings = Omit<CheckedOptions, 'server'> & {
  readonly server?: JupyterServer | JupyterConnectionInfo | undefined
}

export function isServer(value: unknown): value is JupyterServer {
  return typeof Object(value).connect === 'function'
}
