import { resolve } from 'node:path'
import { packageSchema, parseOptions } from '@fenced/core'
import { z } from 'zod'

/** The options of `VenvPythonEnvironment`, as a schema: every field is optional. */
export const venvPythonEnvironmentOptionsSchema = z.strictObject({
  /**
   * Where the environment is. One that is there is used again, and gets what it lacks. Default: a temporary one, which
   * `stop` removes.
   */
  path: z.string().min(1).optional(),
  /** The version of its Python: `3`, `3.13` or `3.13.1`. Default: that of `pythonPath`, or of the usual Python. */
  pythonVersion: z
    .string()
    .regex(/^\d+(\.\d+){0,2}$/, 'must be a version such as "3.13"')
    .optional(),
  /** The interpreter that it is made with. Default: one of `pythonVersion`, else `python3`. */
  pythonPath: z.string().min(1).optional(),
  /** Packages, as `pip install` takes them. Default none. */
  packages: z.array(packageSchema).default([]),
  /** More packages, installed together with them: the path of a requirements file, or its lines. Default none. */
  requirements: z.union([z.string().min(1), z.array(z.string())]).optional(),
  /** Whether packages of the Python that it is made with are seen in it. Default `false`. */
  systemSitePackages: z.boolean().default(false),
  /** `uv`, `pip` (with Python's own `venv`), or uv where it is installed. Default `auto`. */
  installer: z.enum(['auto', 'uv', 'pip']).default('auto'),
  /** Variables for the installer, such as `PIP_INDEX_URL` or `UV_INDEX_URL`. Programs never see them. Default none. */
  installEnv: z.record(z.string(), z.string()).default({}),
})

/** Options of `VenvPythonEnvironment`. */
export type VenvPythonEnvironmentOptions = z.input<typeof venvPythonEnvironmentOptionsSchema>

export type VenvSettings = z.output<typeof venvPythonEnvironmentOptionsSchema>

export function readVenvOptions(options: VenvPythonEnvironmentOptions): VenvSettings {
  const settings = parseOptions(venvPythonEnvironmentOptionsSchema, options, 'VenvPythonEnvironment')
  // Relative paths mean what they mean now.
  return {
    ...settings,
    ...(settings.path === undefined ? {} : { path: resolve(settings.path) }),
    ...(typeof settings.requirements === 'string' ? { requirements: resolve(settings.requirements) } : {}),
  }
}
