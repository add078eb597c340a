import { resolve } from 'node:path'
import { parseOptions } from '@fenced/core/driver'
import {
  type ContainerLimits,
  containerLimitsShape,
  type Engine,
  type EngineConnection,
  engineOptionSchema,
  type ImageOptions,
  imageOptionsShape,
} from '@fenced/sandbox-docker'
import { z } from 'zod'

const mebibyte = 2 ** 20

/** Options of `DockerJupyterServer`. */
export interface DockerJupyterServerOptions extends ImageOptions, ContainerLimits {
  /**
   * What our own image is built on, where neither `image` nor `build` is given.
   *
   * @default 'python:3-slim'
   */
  readonly baseImage?: string | undefined
  /**
   * A directory of this machine that the kernels see as `/workspace`, and in which executors of this server save
   * pictures when they have no `outputDir`.
   *
   * @default none, and `/workspace` goes with the container
   */
  readonly bindDir?: string | undefined
  /**
   * The port on 127.0.0.1. Not with `network: false`.
   *
   * @default a free one
   */
  readonly port?: number | undefined
  /**
   * What a client has to know. Not with `network: false`: nobody else can connect then.
   *
   * @default 64 random hexadecimal digits
   */
  readonly token?: string | undefined
  /**
   * A network of the engine from which ports can be published. `false`, or `none`: the kernels have no network, and the server
   * is reached through the engine, which can be on another machine then.
   *
   * @default 'bridge'
   */
  readonly network?: string | false | undefined
  /**
   * How many processes and threads all kernels may have together; `false` for no limit.
   *
   * @default 512
   */
  readonly pids?: number | false | undefined
  /**
   * The engine, which must be on this machine unless `network` is `false`: how to connect to it, or an {@link Engine} that is
   * connected already. One that was given stays open when the server stops.
   *
   * @default the one that the docker command would use
   */
  readonly docker?: EngineConnection | Engine | undefined
  /**
   * How long the container may live, in milliseconds; 0 for no limit. It ends itself with its kernels, whatever becomes of
   * this process, and the next start makes another one.
   *
   * @default 86_400_000
   */
  readonly maxLifetimeMs?: number | undefined
  /**
   * How long the server may take to answer once its container runs, in milliseconds.
   *
   * @default 60_000
   */
  readonly startTimeoutMs?: number | undefined
}

const notPublished = 'has no meaning without a network: nobody else can connect'

/** The options of `DockerJupyterServer`, as a schema: every field is optional. */
export const dockerJupyterServerOptionsSchema = z
  .strictObject({
    ...imageOptionsShape,
    ...containerLimitsShape,
    baseImage: z.string().min(1).default('python:3-slim'),
    bindDir: z.string().min(1).optional(),
    port: z.int().min(1).max(65_535).optional(),
    token: z.string().min(1).optional(),
    network: z.union([z.string().min(1), z.literal(false)]).default('bridge'),
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
  .refine((options) => options.port === undefined || hasNetwork(options), {
    path: ['port'],
    error: notPublished,
  })
  .refine((options) => options.token === undefined || hasNetwork(options), {
    path: ['token'],
    error: notPublished,
  })

export type DockerServerSettings = z.output<typeof dockerJupyterServerOptionsSchema>

/** Whether its container has one, over which the server is reached. */
export function hasNetwork({ network }: { readonly network: string | false }): boolean {
  return network !== false && network !== 'none'
}

export function readDockerServerOptions(options: DockerJupyterServerOptions): DockerServerSettings {
  const settings = parseOptions(dockerJupyterServerOptionsSchema, options, 'DockerJupyterServer')
  return settings.bindDir === undefined ? settings : { ...settings, bindDir: resolve(settings.bindDir) }
}
