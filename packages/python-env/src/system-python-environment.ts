import { type CodeExecutor, FencedError, type StartOptions } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { checkStartOptions } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import { type CreateLocalExecutorOptions, createLocalExecutor } from './create-local-executor.ts'
import { type InstallOptions, installOptionsShape } from './install/install-options.ts'
import { packageIndexOf } from './install/package-index.ts'
import { installWithPip } from './install/pip.ts'
import { type PythonEnvironment, readPlacement, sharedEnvironment } from './python-environment.ts'
import { findInterpreter, type PythonInterpreter, pythonNotFound } from './python-interpreter.ts'

/** Options of `SystemPythonEnvironment`. */
export interface SystemPythonEnvironmentOptions extends InstallOptions {
  /**
   * Path of an interpreter, or a name to look up on PATH.
   *
   * @default the active virtual environment (`VIRTUAL_ENV`), then `python3`, then `python`
   */
  readonly executable?: string | undefined
  /**
   * Oldest version to accept, such as `3.11`.
   *
   * @default any version
   */
  readonly minimumVersion?: string | undefined
}

/** Schema for the options of `SystemPythonEnvironment`. All fields are optional. */
export const systemPythonEnvironmentOptionsSchema = z.strictObject({
  executable: z.string().min(1).optional(),
  minimumVersion: z
    .string()
    .regex(/^\d+(\.\d+){0,2}$/)
    .optional(),
  ...installOptionsShape,
})

/**
 * A Python that is already installed. It is changed only if you install packages, and never if the operating system manages its
 * packages.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class SystemPythonEnvironment implements PythonEnvironment {
  readonly #settings: z.output<typeof systemPythonEnvironmentOptionsSchema>
  readonly #python = sharedEnvironment(
    (options) => this.#find(options),
    async () => {},
  )

  constructor(options: SystemPythonEnvironmentOptions = {}) {
    this.#settings = parseOptions(systemPythonEnvironmentOptionsSchema, options, 'SystemPythonEnvironment')
  }

  /** @throws FencedError `PYTHON_NOT_FOUND`, `PYTHON_TOO_OLD`. */
  async start(options: StartOptions = {}): Promise<void> {
    await this.#python.get(checkStartOptions(options))
  }

  async interpreter(options: StartOptions = {}): Promise<PythonInterpreter> {
    return this.#python.get(checkStartOptions(options))
  }

  async install(packages: readonly string[], options: StartOptions = {}): Promise<void> {
    const python = await this.#python.get(checkStartOptions(options))
    if (python.isExternallyManaged) throw externallyManaged(python, packages)
    const { installEnv, installTimeoutMs } = this.#settings
    await installWithPip(python.path, { packages, installEnv, installTimeoutMs }, options)
  }

  async createExecutor(options: CreateLocalExecutorOptions = {}): Promise<CodeExecutor> {
    const placed = readPlacement(options)
    const { path } = await this.#python.get({ signal: options.signal, onNotice: options.onNotice })
    const packageIndex = packageIndexOf('pip', this.#settings.installEnv)
    return createLocalExecutor({ path, packageIndex, install: this.install.bind(this) }, placed)
  }

  /** Does nothing, because the environment creates no files. */
  async stop(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  async #find({ signal }: StartOptions): Promise<PythonInterpreter> {
    const { executable, minimumVersion } = this.#settings
    const python = await findInterpreter({ python: executable, option: 'executable', signal })
    if ('missing' in python) throw pythonNotFound(python.missing, python.data)
    if (minimumVersion !== undefined && !isAtLeast(python.version, minimumVersion)) {
      throw tooOld(python, minimumVersion)
    }
    return python
  }
}

function tooOld({ path, version }: PythonInterpreter, minimumVersion: string): FencedError {
  return new FencedError({
    code: 'PYTHON_TOO_OLD',
    message: `${path} is Python ${version}, but ${minimumVersion} or newer is required. Install a newer Python and set \`executable\` to it, or use a VenvPythonEnvironment with a \`pythonVersion\`.`,
    data: { python: path, version, needed: minimumVersion, option: 'executable' },
  })
}

function externallyManaged({ path }: PythonInterpreter, packages: readonly string[]): FencedError {
  return new FencedError({
    code: 'EXTERNALLY_MANAGED',
    message: `The operating system manages the packages of ${path}, so ${packages.join(', ')} cannot be installed there (PEP 668). Use a virtual environment: new VenvPythonEnvironment({ packages: ${JSON.stringify(packages)} }).`,
    data: { python: path, packages: packages.join(', ') },
  })
}

/** Whether `version`, which has all its parts, is at least `minimum`. */
function isAtLeast(version: string, minimum: string): boolean {
  return version.localeCompare(minimum, 'en', { numeric: true }) >= 0
}
