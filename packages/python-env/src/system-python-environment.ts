import { type CodeExecutor, FencedError, type StartOptions } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { findPython, type NoInterpreter } from '@fenced/host'
import { z } from 'zod'
import { type CreateLocalExecutorOptions, createLocalExecutor } from './create-local-executor.ts'
import { type InstallOptions, installOptionsShape } from './install/install-options.ts'
import { packageIndexOf } from './install/package-index.ts'
import { installWithPip } from './install/pip.ts'
import { type PythonEnvironment, readPlacement, sharedEnvironment } from './python-environment.ts'
import { askInterpreter, type PythonInterpreter } from './python-interpreter.ts'

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
    await this.#python.get(options)
  }

  interpreter(options: StartOptions = {}): Promise<PythonInterpreter> {
    return this.#python.get(options)
  }

  async install(packages: readonly string[], options: StartOptions = {}): Promise<void> {
    const python = await this.#python.get(options)
    if (python.isExternallyManaged) throw externallyManaged(python, packages)
    const { installEnv, installTimeoutMs } = this.#settings
    await installWithPip(python.path, { packages, installEnv, installTimeoutMs }, options)
  }

  async createExecutor(options: CreateLocalExecutorOptions = {}): Promise<CodeExecutor> {
    const placed = readPlacement(options)
    const { path } = await this.#python.get(options)
    const packageIndex = packageIndexOf('pip', this.#settings.installEnv)
    return createLocalExecutor({ path, packageIndex, install: this.install.bind(this) }, placed)
  }

  /** Does nothing, because the environment creates no files. */
  async stop(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  async #find({ signal }: StartOptions): Promise<PythonInterpreter> {
    const { executable, minimumVersion } = this.#settings
    const found = await findPython({
      python: executable,
      option: 'executable',
      host: process.env,
      path: process.env.PATH ?? '',
    })
    if ('missing' in found) throw notFound(found.missing, found.data)
    const python = await askInterpreter(found.command[0], signal)
    if (python === undefined)
      throw notFound(`${found.command[0]} is not a working Python.`, { program: found.command[0] })
    if (minimumVersion !== undefined && !isAtLeast(python.version, minimumVersion)) {
      throw tooOld(python, minimumVersion)
    }
    return python
  }
}

function notFound(message: string, data: NoInterpreter['data'] = {}): FencedError {
  return new FencedError({ code: 'PYTHON_NOT_FOUND', message, data })
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

/** Whether `version` is at least `minimum`. Missing parts of `version` count as 0. */
function isAtLeast(version: string, minimum: string): boolean {
  const [given, wanted] = [numbersOf(version), numbersOf(minimum)]
  for (const [index, part] of wanted.entries()) {
    const difference = (given[index] ?? 0) - part
    if (difference !== 0) return difference > 0
  }
  return true
}

function numbersOf(version: string): number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10) || 0)
}
