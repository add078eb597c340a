import { resolve } from 'node:path'
import { parseOptions } from '@fenced/core/driver'
import { packageSchema } from '@fenced/core/internal'
import { z } from 'zod'
import { type InstallOptions, installOptionsShape } from '../install/install-options.ts'

/** Options of `VenvPythonEnvironment`. */
export interface VenvPythonEnvironmentOptions extends InstallOptions {
  /**
   * Path of the environment. An existing environment is used, and missing packages are installed.
   *
   * @default a temporary environment, which `stop` removes
   */
  readonly venvPath?: string | undefined
  /**
   * Version of the Python: `3`, `3.13` or `3.13.1`.
   *
   * @default the version of `pythonPath`, or of `python3`
   */
  readonly pythonVersion?: string | undefined
  /**
   * The base interpreter.
   *
   * @default one of `pythonVersion`, else `python3`
   */
  readonly pythonPath?: string | undefined
  /**
   * Packages, as `pip install` accepts them.
   *
   * @default []
   */
  readonly packages?: readonly string[] | undefined
  /**
   * Additional packages: the path of a requirements file, or its lines, in which paths are relative to the working directory of this
   * process. A change of a file that is included with `-r` or `-c` counts as a change.
   *
   * @default none
   */
  readonly requirements?: string | readonly string[] | undefined
  /**
   * Whether programs see the packages of the base interpreter.
   *
   * @default false
   */
  readonly systemSitePackages?: boolean | undefined
  /**
   * Installer of the environment and its packages: `uv`, `pip` (with Python's `venv`), or `auto`: uv if it is installed, otherwise pip.
   *
   * @default 'auto'
   */
  readonly installer?: 'auto' | 'uv' | 'pip' | undefined
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
  ...installOptionsShape,
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
