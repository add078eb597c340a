import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'

/** Options of `LocalJupyterServer`. */
export interface LocalJupyterServerOptions {
  /**
   * The Python that has the server: the path of an interpreter or of a virtual environment.
   *
   * @default the active virtual environment (`VIRTUAL_ENV`), then `python3`, then `python`
   */
  readonly python?: string | undefined
  /**
   * The address on which it listens. On `127.0.0.1` only programs of this machine can connect.
   *
   * @default '127.0.0.1'
   */
  readonly ip?: string | undefined
  /**
   * The port on which it listens.
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
   * Variables for the server and its kernels in addition to those that they get anyway.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * Whether they see the whole environment of this process.
   *
   * @default false
   */
  readonly inheritEnv?: boolean | undefined
  /**
   * How long it may take to answer, in milliseconds.
   *
   * @default 60_000
   */
  readonly startTimeoutMs?: number | undefined
}

/** The options of `LocalJupyterServer`, as a schema: every field is optional. */
export const localJupyterServerOptionsSchema = z.strictObject({
  python: z.string().min(1).optional(),
  ip: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(1).max(65_535).optional(),
  token: z.string().min(1).optional(),
  env: z.record(z.string(), z.string()).default({}),
  inheritEnv: z.boolean().default(false),
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
})

export type LocalServerSettings = z.output<typeof localJupyterServerOptionsSchema>

export function readLocalServerOptions(options: LocalJupyterServerOptions): LocalServerSettings {
  return parseOptions(localJupyterServerOptionsSchema, options, 'LocalJupyterServer')
}
