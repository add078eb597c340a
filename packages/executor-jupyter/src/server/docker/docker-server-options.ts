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
   * The port on 127.0.0.1.
   *
   * @default a free one
   */
  readonly port?: number | undefined
  /**
   * What a client has to know.
   *
   * @default 64 random hexadecimal digits
   */
  readonly token?: string | undefined
  /**
   * A network of the engine from which ports can be published.
   *
   * @default 'bridge'
   */
  readonly network?: string | undefined
  /**
   * How many processes and threads all kernels may have together; `false` for no limit.
   *
   * @default 512
   */
  readonly pids?: number | false | undefined
  /**
   * The engine, which must be on this machine: how to connect to it, or an {@link Engine} that is connected already. One that
   * was given stays open when the server stops.
   *
   * @default the one that the docker command would use
   */
  readonly docker?: EngineConnection | Engine | undefined
  /**
   * How long the server may take to answer once its container runs, in milliseconds.
   *
   * @default 60_000
   */
  readonly startTimeoutMs?: number | undefined
}

/** The options of `DockerJupyterServer`, as a schema: every field is optional. */
export const dockerJupyterServerOptionsSchema = z.strictObject({
  ...imageOptionsShape,
  ...containerLimitsShape,
  baseImage: z.string().min(1).default('python:3-slim'),
  bindDir: z.string().min(1).optional(),
  port: z.int().min(1).max(65_535).optional(),
  token: z.string().min(1).optional(),
  network: z.string().min(1).default('bridge'),
  memoryBytes: z.union([z.int().min(64 * mebibyte), z.literal(false)]).default(2_048 * mebibyte),
  pids: z.union([z.int().min(32), z.literal(false)]).default(512),
  docker: engineOptionSchema.optional(),
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
})

export type DockerServerSettings = z.output<typeof dockerJupyterServerOptionsSchema>

export function readDockerServerOptions(options: DockerJupyterServerOptions): DockerServerSettings {
  const settings = parseOptions(dockerJupyterServerOptionsSchema, options, 'DockerJupyterServer')
  return settings.bindDir === undefined ? settings : { ...settings, bindDir: resolve(settings.bindDir) }
}
