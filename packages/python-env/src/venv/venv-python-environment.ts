import { join } from 'node:path'
import type { CodeExecutor, StartOptions } from '@fenced/core'
import { checkStartOptions, TemporaryDirectory } from '@fenced/core/internal'
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
 * A virtual environment with packages, created if it is missing. Processes that use the same path take turns, and an incomplete
 * environment is recreated.
 *
 * It separates packages, but does not isolate programs: they can do everything that you can do.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class VenvPythonEnvironment implements PythonEnvironment {
  /** Absolute path of the environment, known before it is created. */
  readonly path: string
  readonly #settings: VenvSettings
  /** Also contains the lock. */
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
    await this.#venv.get(checkStartOptions(options))
  }

  async interpreter(options: StartOptions = {}): Promise<PythonInterpreter> {
    return (await this.#venv.get(checkStartOptions(options))).python
  }

  async install(packages: readonly string[], options: StartOptions = {}): Promise<void> {
    const { python, installer } = await this.#venv.get(checkStartOptions(options))
    const { installEnv, installTimeoutMs } = this.#settings
    // Concurrent installations of several executors could break the environment.
    await using _lock = await lockDirectory(this.path, options)
    await installer.install(python.path, { packages, installEnv, installTimeoutMs }, options)
  }

  async createExecutor(options: CreateLocalExecutorOptions = {}): Promise<CodeExecutor> {
    const placed = readPlacement(options)
    const { installer } = await this.#venv.get({ signal: options.signal, onNotice: options.onNotice })
    const packageIndex = packageIndexOf(installer.uv === undefined ? 'pip' : 'uv', this.#settings.installEnv)
    return createLocalExecutor({ path: this.path, packageIndex, install: this.install.bind(this) }, placed)
  }

  /** Removes a temporary environment. */
  async stop(): Promise<void> {
    await this.#venv.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #make(options: StartOptions): Promise<ReadyVenv> {
    const installer = await chooseInstaller(this.#settings.installer)
    // An installer of a killed host could still write into the environment.
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
