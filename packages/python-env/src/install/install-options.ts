import { environmentSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'

/** Options of environments that run an installer on this machine. */
export interface InstallOptions {
  /**
   * Environment variables for the installer, such as `PIP_INDEX_URL` or `UV_INDEX_URL`. Programs never see them.
   *
   * @default {}
   */
  readonly installEnv?: Readonly<Record<string, string>> | undefined
  /**
   * Time limit for each run of the installer, in milliseconds. When it expires, the installation fails with `INSTALL_FAILED`.
   *
   * @default 3_600_000
   */
  readonly installTimeoutMs?: number | undefined
}

/** {@link InstallOptions}, for a schema. */
export const installOptionsShape = {
  installEnv: environmentSchema.default({}),
  installTimeoutMs: z
    .int()
    .min(1)
    .max(24 * 3_600_000)
    .default(3_600_000),
}
