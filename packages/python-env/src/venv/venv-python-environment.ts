import { join } from 'node:path'
import type { CodeExecutor, StartOptions } from '@fenced/core'
import { TemporaryDirectory } from '@fenced/core/internal'
import { endLeftoverProcesses, lockDirectory } from '@fenced/host'
import { type CreateLocalExecutorOptions, createLocalExecutor } from '../create-local-executor.ts'
import { packageIndexOf } from '../install/package-index.ts'
import { type PythonEnvironment, readPlacement, sharedEnvironment } from '../python-environment.ts'
import type { PythonInterpreter } from '../python-interpreter.ts'
import { chooseInstaller, type Installer } from './installer.ts'
import { makeVenv, unusable } from './make-venv.ts'
import { readVenvOptions, type VenvPythonEnvironmentOptions, type VenvSettings } from './venv-options.ts'

interface ReadyVenv {
  readonly python: PythonInterpreter
  readonly installer: Installer
}

/**
 * A virtual environment: made where it is missing, used again where it is there, with the packages that were asked for.
 * Two processes that want the same one at the same time get it one after the other, and one that was left half-made is
 * made again.
 *
 * It keeps packages apart, and nothing else: programs in it can do what you can do.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class VenvPythonEnvironment implements PythonEnvironment {
  /** Absolute path of the environment, known before it is made. */
  readonly path: string
  readonly #settings: VenvSettings
  /** Has its lock as well. */
  readonly #temporary: TemporaryDirectory | undefined
  readonly #venv = sharedEnvironment(
    (options) => this.#make(options),
    async () => await this.#temporary?.remove(),
  )

  constructor(options: VenvPythonEnvironmentOptions = {}) {
    this.#settings = readVenvOptions(options)
    const { venvPath } = this.#settings
    this.#temporary = venvPath === undefined ? TemporaryDirectory.named() : undefined
    this.path = venvPath ?? join(this.#temporary?.path ?? '', 'venv')
  }

  /**
   * @throws FencedError `PYTHON_NOT_FOUND`, `VENV_FAILED`, `VENV_MISMATCH`, `NOT_A_VENV`, `INSTALL_FAILED`,
   * `UV_NOT_FOUND`, `REQUIREMENTS_NOT_FOUND`.
   */
  async start(options: StartOptions = {}): Promise<void> {
    await this.#venv.get(options)
  }

  async interpreter(options: StartOptions = {}): Promise<PythonInterpreter> {
    return (await this.#venv.get(options)).python
  }

  async install(packages: readonly string[], options: StartOptions = {}): Promise<void> {
    const { python, installer } = await this.#venv.get(options)
    const { installEnv, installTimeoutMs } = this.#settings
    // Two that change an environment at once may break it; several executors may want packages at the same time.
    await using _lock = await lockDirectory(this.path, options)
    await installer.install(python.path, { packages, installEnv, installTimeoutMs }, options)
  }

  async createExecutor(options: CreateLocalExecutorOptions = {}): Promise<CodeExecutor> {
    const placed = readPlacement(options)
    const { installer } = await this.#venv.get(options)
    const packageIndex = packageIndexOf(installer.uv === undefined ? 'pip' : 'uv', this.#settings.installEnv)
    return createLocalExecutor({ path: this.path, packageIndex, install: this.install.bind(this) }, placed)
  }

  /** Removes it if it was temporary. */
  async stop(): Promise<void> {
    await this.#venv.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #make(options: StartOptions): Promise<ReadyVenv> {
    const installer = await chooseInstaller(this.#settings.installer)
    // An installer of a host that was killed could still write into what is removed or made again now.
    await endLeftoverProcesses()
    try {
      this.#temporary?.open()
    } catch (error) {
      throw unusable(this.path, error)
    }
    try {
      const python = await makeVenv({ path: this.path, settings: this.#settings, installer }, options)
      return { python, installer }
    } catch (error) {
      await this.#temporary?.remove()
      throw error
    }
  }
}
