import { resolve } from 'node:path'
import type { NetworkOption } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import {
  type ContainerLimits,
  containerLimitsShape,
  containerNetworkSchema,
  type Engine,
  type EngineConnection,
  engineOptionSchema,
  type ImageOptions,
  imageOptionsShape,
} from '@fenced/sandbox-docker'

const mebibyte = 2 ** 20

/** Options of `DockerJupyterServer`. */
export interface DockerJupyterServerOptions extends ImageOptions, ContainerLimits {
  /**
   * Base of the default image, used if neither `image` nor `build` is set.
   *
   * @default 'python:3-slim'
   */
  readonly baseImage?: string | undefined
  /**
   * Directory on this machine that the kernels see as `/workspace`. If an executor of this server has no `workDir`, its
   * pictures are saved there.
   *
   * @default none: `/workspace` is removed with the container
   */
  readonly workDir?: string | undefined
  /**
   * Port on 127.0.0.1 for other clients.
   *
   * @default a free one
   */
  readonly port?: number | undefined
  /**
   * Token that clients must send.
   *
   * @default 64 random hexadecimal digits
   */
  readonly token?: string | undefined
  /**
   * Network access of the kernels: `'none'`, `'open'`, or the name of an engine network. Clients connect through this process
   * either way. An allowlist requires a `SandboxJupyterServer` with a `DockerSandbox`.
   *
   * @default 'none'
   */
  readonly network?: NetworkOption | string | undefined
  /**
   * Limit on the processes and threads of all kernels combined; `false` for no limit.
   *
   * @default 512
   */
  readonly pids?: number | false | undefined
  /**
   * The engine: connection options, or a connected {@link Engine}, which stays open when the server stops.
   *
   * @default the engine of the docker command
   */
  readonly docker?: EngineConnection | Engine | undefined
  /**
   * Maximum lifetime of the container, in milliseconds; 0 for no limit. The container and its kernels are then stopped, even if
   * this process is gone. The next start creates a new container.
   *
   * @default 86_400_000
   */
  readonly maxLifetimeMs?: number | undefined
  /**
   * Time limit for the server's first response after its container starts, in milliseconds.
   *
   * @default 60_000
   */
  readonly startTimeoutMs?: number | undefined
}

/** Schema for the options of `DockerJupyterServer`. All fields are optional. */
export const dockerJupyterServerOptionsSchema = z
  .strictObject({
    ...imageOptionsShape,
    ...containerLimitsShape,
    baseImage: z.string().min(1).default('python:3-slim'),
    workDir: z.string().min(1).optional(),
    port: z.int().min(1).max(65_535).optional(),
    token: z.string().min(1).optional(),
    network: containerNetworkSchema.default('none'),
    memoryBytes: z.union([z.int().min(64 * mebibyte), z.literal(false)]).default(2_048 * mebibyte),
    pids: z.union([z.int().min(32), z.literal(false)]).default(512),
    docker: engineOptionSchema.optional(),
    maxLifetimeMs: z
      .int()
      .min(0)
      .max(2 ** 40)
      .default(24 * 3_600_000),
    startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
  })
  .refine(({ network }) => typeof network !== 'object', {
    path: ['network'],
    error: 'cannot be a list here: use a SandboxJupyterServer with a DockerSandbox',
  })

export type DockerServerSettings = z.output<typeof dockerJupyterServerOptionsSchema>

export function readDockerServerOptions(options: DockerJupyterServerOptions): DockerServerSettings {
  const settings = parseOptions(dockerJupyterServerOptionsSchema, options, 'DockerJupyterServer')
  return settings.workDir === undefined ? settings : { ...settings, workDir: resolve(settings.workDir) }
}
