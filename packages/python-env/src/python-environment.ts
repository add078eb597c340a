import type { CodeExecutor, Notice } from '@fenced/core'
import type { LocalExecutorOptions } from '@fenced/executor-local'
import type { PythonInterpreter } from './python-interpreter.ts'
import type { WorkingDirectory } from './working-directory.ts'

/** Where Python lives: a Python with its packages, and executors that use it. */
export interface PythonEnvironment extends AsyncDisposable {
  /**
   * Makes it ready. Not needed: everything else does it. Calls at the same time share one start.
   *
   * @throws FencedError whose code says what is wrong.
   */
  start(options?: EnvironmentOptions): Promise<void>
  /** What its Python says about itself. */
  interpreter(options?: EnvironmentOptions): Promise<PythonInterpreter>
  /**
   * Installs packages, as `pip install` takes them: `numpy`, `requests==2.32.3`, `name @ https://...`.
   *
   * @throws FencedError `INSTALL_FAILED` with the installer's own words; `EXTERNALLY_MANAGED`.
   */
  install(packages: readonly string[], options?: EnvironmentOptions): Promise<void>
  /**
   * A started executor whose Python is this one; in its shell blocks, `python` and `pip` are this one's, too. Whoever
   * asked for it stops it.
   */
  createExecutor(options?: CreateExecutorOptions): Promise<CodeExecutor>
  /** Takes away what was made for it. Calling it again does nothing. */
  stop(): Promise<void>
}

/** Options of what may take long. */
export interface EnvironmentOptions {
  readonly signal?: AbortSignal | undefined
  /** Hears how it goes: what is made and installed. Must not throw. */
  readonly onNotice?: ((notice: Notice) => void) | undefined
}

/** Options of {@link PythonEnvironment.createExecutor}: those of its executor, and where programs run. */
export type CreateExecutorOptions = Omit<LocalExecutorOptions, 'python' | 'workDir'> &
  EnvironmentOptions & {
    /** Default: a temporary directory that goes with the executor. */
    readonly workingDirectory?: WorkingDirectory | undefined
  }
