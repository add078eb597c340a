import { resolve } from 'node:path'
import { parseOptions } from '@fenced/core/driver'
import { packageSchema } from '@fenced/core/internal'
import { z } from 'zod'

/** Options of `VenvPythonEnvironment`. */
export interface VenvPythonEnvironmentOptions {
  /**
   * Where the environment is. One that is there is used again, and gets what it lacks.
   *
   * @default a temporary one, which `stop` removes
   */
  readonly venvPath?: string | undefined
  /**
   * The version of its Python: `3`, `3.13` or `3.13.1`.
   *
   * @default that of `pythonPath`, or of the usual Python
   */
  readonly pythonVersion?: string | undefined
  /**
   * The interpreter that it is made with.
   *
   * @default one of `pythonVersion`, else `python3`
   */
  readonly pythonPath?: string | undefined
  /**
   * Packages, as `pip install` takes them.
   *
   * @default []
   */
  readonly packages?: readonly string[] | undefined
  /**
   * More packages, installed together with them: the path of a requirements file, or its lines, in which
   * paths start from the working directory of this process. A change of a file that it includes with `-r` or `-c` counts as a change.
   *
   * @default none
   */
  readonly requirements?: string | readonly string[] | undefined
  /**
   * Whether packages of the Python that it is made with are seen in it.
   *
   * @default false
   */
  readonly systemSitePackages?: boolean | undefined
  /**
   * What makes it and installs packages: `uv`, `pip` (with Python's own `venv`), or `auto`: uv where it is
   * installed, else pip.
   *
   * @default 'auto'
   */
  readonly installer?: 'auto' | 'uv' | 'pip' | undefined
  /**
   * Variables for the installer, such as `PIP_INDEX_URL` or `UV_INDEX_URL`. Programs never see them.
   *
   * @default {}
   */
  readonly installEnv?: Readonly<Record<string, string>> | undefined
  /**
   * Time limit of each run of the installer, in milliseconds. It fails with `INSTALL_FAILED` when it is reached.
   *
   * @default 3_600_000
   */
  readonly installTimeoutMs?: number | undefined
}

/** The options of `VenvPythonEnvironment`, as a schema: every field is optional. */
export const venvPythonEnvironmentOptionsSchema = z.strictObject({
  venvPath: z.string().min(1).optional(),
  pythonVersion: z
    .string()
    .regex(/^\d+(\.\d+){0,2}$/, 'must be a version such as "3.13"')
    .optional(),
  pythonPath: z.string().min(1).optional(),
  packages: z.array(packageSchema).default([]),
  requirements: z.union([z.string().min(1), z.array(z.string())]).optional(),
  systemSitePackages: z.boolean().default(false),
  installer: z.enum(['auto', 'uv', 'pip']).default('auto'),
  installEnv: z.record(z.string(), z.string()).default({}),
  installTimeoutMs: z
    .int()
    .min(1)
    .max(24 * 3_600_000)
    .default(3_600_000),
})

export type VenvSettings = z.output<typeof venvPythonEnvironmentOptionsSchema>

export function readVenvOptions(options: VenvPythonEnvironmentOptions): VenvSettings {
  const settings = parseOptions(venvPythonEnvironmentOptionsSchema, options, 'VenvPythonEnvironment')
  // Relative paths mean what they mean now.
  return {
    ...settings,
    ...(settings.venvPath === undefined ? {} : { venvPath: resolve(settings.venvPath) }),
    ...(typeof settings.requirements === 'string' ? { requirements: resolve(settings.requirements) } : {}),
  }
}
