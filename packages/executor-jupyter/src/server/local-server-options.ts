import { parseOptions } from '@fenced/core'
import { z } from 'zod'

/** The options of `LocalJupyterServer`, as a schema: every field is optional. */
export const localJupyterServerOptionsSchema = z.strictObject({
  /**
   * The Python that has the server: the path of an interpreter or of a virtual environment. Default: the active virtual
   * environment (`VIRTUAL_ENV`), then `python3`, then `python`.
   */
  python: z.string().min(1).optional(),
  /** The address on which it listens. Default `127.0.0.1`: only programs of this machine can connect. */
  ip: z.string().min(1).default('127.0.0.1'),
  /** Default: a free one. */
  port: z.int().min(1).max(65_535).optional(),
  /** What a client has to know. Default: 64 random hexadecimal digits. */
  token: z.string().min(1).optional(),
  /** Variables for the server and its kernels in addition to those that they get anyway. Default none. */
  env: z.record(z.string(), z.string()).default({}),
  /** Whether they see the whole environment of this process. Default `false`. */
  inheritEnv: z.boolean().default(false),
  /** How long it may take to answer, in milliseconds. Default 60 000. */
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
})

/** Options of `LocalJupyterServer`. */
export type LocalJupyterServerOptions = z.input<typeof localJupyterServerOptionsSchema>

export type LocalServerSettings = z.output<typeof localJupyterServerOptionsSchema>

export function readLocalServerOptions(options: LocalJupyterServerOptions): LocalServerSettings {
  return parseOptions(localJupyterServerOptionsSchema, options, 'LocalJupyterServer')
}
