import { resolve } from 'node:path'
import { parseOptions } from '@fenced/core'
import { engineConnectionSchema, imageOptionsShape } from '@fenced/docker-engine'
import { z } from 'zod'

const mebibyte = 2 ** 20

/** The options of `DockerJupyterServer`, as a schema: every field is optional. */
export const dockerJupyterServerOptionsSchema = z.strictObject({
  ...imageOptionsShape,
  /** What our own image is built on, where neither `image` nor `build` is given. Default `python:3-slim`. */
  baseImage: z.string().min(1).default('python:3-slim'),
  /**
   * A directory of this machine that the kernels see as `/workspace`, and in which executors of this server save
   * pictures when they have no `outputDir`. Default: none, and `/workspace` goes with the container.
   */
  bindDir: z.string().min(1).optional(),
  /** The port on 127.0.0.1. Default: a free one. */
  port: z.int().min(1).max(65_535).optional(),
  /** What a client has to know. Default: 64 random hexadecimal digits. */
  token: z.string().min(1).optional(),
  /** Variables for the server and its kernels. Default none. */
  env: z.record(z.string().regex(/^[^=\0]+$/), z.string()).default({}),
  /** A network of the engine from which ports can be published. Default `bridge`. */
  network: z.string().min(1).default('bridge'),
  /** How much memory all kernels have together, in bytes; `false` for no bound. Default 2 GiB. */
  memoryBytes: z.union([z.int().min(64 * mebibyte), z.literal(false)]).default(2_048 * mebibyte),
  /** How many processors they have together; `false` for no bound. Default 1. */
  cpus: z.union([z.number().min(0.01), z.literal(false)]).default(1),
  /** How many processes and threads they may have together; `false` for no bound. Default 512. */
  pids: z.union([z.int().min(32), z.literal(false)]).default(512),
  /** As docker takes it: `1000:1000`. Default: the user of this process. */
  user: z.string().min(1).optional(),
  /** A runtime of the engine, such as `runsc`. Default: the engine's own. */
  runtime: z.string().min(1).optional(),
  /** Where the engine is. Default: found as docker's CLI does. It must be on this machine. */
  docker: engineConnectionSchema.optional(),
  /** How long the server may take to answer once its container runs, in milliseconds. Default 60 000. */
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
})

/** Options of `DockerJupyterServer`. */
export type DockerJupyterServerOptions = z.input<typeof dockerJupyterServerOptionsSchema>

export type DockerServerSettings = z.output<typeof dockerJupyterServerOptionsSchema>

export function readDockerServerOptions(options: DockerJupyterServerOptions): DockerServerSettings {
  const settings = parseOptions(dockerJupyterServerOptionsSchema, options, 'DockerJupyterServer')
  return settings.bindDir === undefined ? settings : { ...settings, bindDir: resolve(settings.bindDir) }
}
