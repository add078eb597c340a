import { resolve } from 'node:path'
import { parseOptions } from '@fenced/core'
import {
  type EngineConnection,
  engineConnectionSchema,
  type ImageOptions,
  imageOptionsShape,
} from '@fenced/docker-engine'
import { z } from 'zod'

const mebibyte = 2 ** 20

/** Options of `DockerJupyterServer`. */
export interface DockerJupyterServerOptions extends ImageOptions {
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
   * Variables for the server and its kernels.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * A network of the engine from which ports can be published.
   *
   * @default 'bridge'
   */
  readonly network?: string | undefined
  /**
   * How much memory all kernels have together, in bytes; `false` for no limit.
   *
   * @default 2_147_483_648
   */
  readonly memoryBytes?: number | false | undefined
  /**
   * How many processors they have together; `false` for no limit.
   *
   * @default 1
   */
  readonly cpus?: number | false | undefined
  /**
   * How many processes and threads they may have together; `false` for no limit.
   *
   * @default 512
   */
  readonly pids?: number | false | undefined
  /**
   * The user of the server and its kernels, as docker takes it: `1000:1000`.
   *
   * @default the user of this process
   */
  readonly user?: string | undefined
  /**
   * A runtime of the engine, such as `runsc`.
   *
   * @default the engine's own
   */
  readonly runtime?: string | undefined
  /**
   * The engine, which must be on this machine.
   *
   * @default the one that the docker command would use
   */
  readonly docker?: EngineConnection | undefined
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
  baseImage: z.string().min(1).default('python:3-slim'),
  bindDir: z.string().min(1).optional(),
  port: z.int().min(1).max(65_535).optional(),
  token: z.string().min(1).optional(),
  env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).default({}),
  network: z.string().min(1).default('bridge'),
  memoryBytes: z.union([z.int().min(64 * mebibyte), z.literal(false)]).default(2_048 * mebibyte),
  cpus: z.union([z.number().min(0.01), z.literal(false)]).default(1),
  pids: z.union([z.int().min(32), z.literal(false)]).default(512),
  user: z.string().min(1).optional(),
  runtime: z.string().min(1).optional(),
  docker: engineConnectionSchema.optional(),
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
})

export type DockerServerSettings = z.output<typeof dockerJupyterServerOptionsSchema>

export function readDockerServerOptions(options: DockerJupyterServerOptions): DockerServerSettings {
  const settings = parseOptions(dockerJupyterServerOptionsSchema, options, 'DockerJupyterServer')
  return settings.bindDir === undefined ? settings : { ...settings, bindDir: resolve(settings.bindDir) }
}
