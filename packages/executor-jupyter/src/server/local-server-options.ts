import { environmentSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'

/** Options of `LocalJupyterServer`. */
export interface LocalJupyterServerOptions {
  /**
   * The Python installation with Jupyter Server, as the path of an interpreter or of a virtual environment.
   *
   * @default the active virtual environment (`VIRTUAL_ENV`), then `python3`, then `python`
   */
  readonly python?: string | undefined
  /**
   * IP address on which the server listens. On `127.0.0.1`, only programs on this machine can connect.
   *
   * @default '127.0.0.1'
   */
  readonly ip?: string | undefined
  /**
   * Port on which the server listens.
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
   * Environment variables for the server and its kernels, in addition to the default ones.
   *
   * @default {}
   */
  readonly env?: Readonly<Record<string, string>> | undefined
  /**
   * Whether the server and its kernels inherit all environment variables of this process.
   *
   * @default false
   */
  readonly inheritEnv?: boolean | undefined
  /**
   * Time limit for the server to respond after it is started, in milliseconds.
   *
   * @default 60_000
   */
  readonly startTimeoutMs?: number | undefined
}

/** Schema for the options of `LocalJupyterServer`. All fields are optional. */
export const localJupyterServerOptionsSchema = z.strictObject({
  python: z.string().min(1).optional(),
  ip: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(1).max(65_535).optional(),
  token: z.string().min(1).optional(),
  env: environmentSchema.default({}),
  inheritEnv: z.boolean().default(false),
  startTimeoutMs: z.int().min(1).max(3_600_000).default(60_000),
})

export type LocalServerSettings = z.output<typeof localJupyterServerOptionsSchema>
