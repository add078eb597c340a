import { resolve } from 'node:path'
import { parseOptions } from '@fenced/core/driver'
import { packageSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { type InstallOptions, installOptionsShape } from '../install/install-options.ts'

/** Options of `VenvPythonEnvironment`. */
export interface VenvPythonEnvironmentOptions extends InstallOptions {
  /**
   * Path of the environment. An existing environment is reused, and missing packages are installed.
   *
   * @default a temporary environment, which `stop` removes
   */
  readonly venvPath?: string | undefined
  /**
   * Python version: `3`, `3.13` or `3.13.1`.
   *
   * @default the version of `pythonPath`, or of `python3`
   */
  readonly pythonVersion?: string | undefined
  /**
   * Path of the base interpreter.
   *
   * @default one of `pythonVersion`, else `python3`
   */
  readonly pythonPath?: string | undefined
  /**
   * Packages to install, in the format of `pip install`.
   *
   * @default []
   */
  readonly packages?: readonly string[] | undefined
  /**
   * Additional packages: the path of a requirements file, or the lines of one. Paths in these lines are relative to this
   * process's working directory. A change to a file included with `-r` or `-c` also counts as a change.
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
   * Installer for the environment and its packages: `uv`, `pip` (with Python's `venv`), or `auto`, which uses uv if it is
   * installed and pip otherwise.
   *
   * @default 'auto'
   */
  readonly installer?: 'auto' | 'uv' | 'pip' | undefined
}

/** Schema for the options of `VenvPythonEnvironment`. All fields are optional. */
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
