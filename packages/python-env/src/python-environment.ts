import { type CodeExecutor, FencedError, type StartOptions } from '@fenced/core'
import { type ExecutorOptions, parseOptions } from '@fenced/core/driver'
import { SharedStart } from '@fenced/host'
import type { WarmOptions } from '@fenced/sandbox'
import { z } from 'zod'
import type { PythonInterpreter } from './python-interpreter.ts'
import { type WorkingDirectory, workingDirectorySchema } from './working-directory.ts'

/** Where Python lives: a Python with its packages, and executors that use it. */
export interface PythonEnvironment extends AsyncDisposable {
  /**
   * Makes it ready. Not needed: everything else does it. Calls at the same time share one start.
   *
   * @throws FencedError whose code says what is wrong.
   */
  start(options?: StartOptions): Promise<void>
  /** What its Python says about itself. */
  interpreter(options?: StartOptions): Promise<PythonInterpreter>
  /**
   * Installs packages, as `pip install` takes them: `numpy`, `requests==2.32.3`, `name @ https://...`.
   *
   * @throws FencedError `INSTALL_FAILED` with the installer's own words; `EXTERNALLY_MANAGED`.
   */
  install(packages: readonly string[], options?: StartOptions): Promise<void>
  /**
   * A started executor whose Python is this one; in its shell blocks, `python` and `pip` are this one's, too. Anyone who
   * asked for it stops it.
   */
  createExecutor(options?: CreateExecutorOptions): Promise<CodeExecutor>
  /** Takes away what was made for it. Calling it again does nothing. */
  stop(): Promise<void>
}

/** Where programs run, and how the start of their executor goes. */
export interface ExecutorPlacement extends StartOptions {
  /**
   * The directory in which programs run, or its path. It stays when the executor is stopped.
   *
   * @default a temporary one, which goes with the executor
   */
  readonly workingDirectory?: WorkingDirectory | string | undefined
}

const placementSchema = z.looseObject({ workingDirectory: workingDirectorySchema.optional() })

/** Options of `createExecutor` in which a path has become a directory. */
export type Placed<Options extends ExecutorPlacement> = Omit<Options, 'workingDirectory'> & {
  readonly workingDirectory?: WorkingDirectory | undefined
}

/** @throws FencedError `INVALID_OPTIONS` for what is no working directory. */
export function readPlacement<Options extends ExecutorPlacement>(options: Options): Placed<Options> {
  const { workingDirectory } = parseOptions(placementSchema, options, 'createExecutor()')
  return { ...options, workingDirectory }
}

/** Options of {@link PythonEnvironment.createExecutor} that every environment takes; each has more of its own. */
export interface CreateExecutorOptions extends ExecutorOptions, ExecutorPlacement {
  /**
   * Whether programs run as forks of one Python that stays, and what it imports once: the option of the executors.
   *
   * @default 'auto'
   */
  readonly warm?: 'auto' | boolean | WarmOptions | undefined
}

/** An environment that is made ready by the first who needs it, for all who need it at the same time. */
export function sharedEnvironment<T>(
  start: (options: StartOptions & { readonly signal: AbortSignal }) => Promise<T>,
  stop: (running: T) => Promise<void>,
): SharedStart<T> {
  return new SharedStart<T>({
    start,
    stop,
    isAlive: () => true,
    stoppedError,
  })
}

/** What those hear who wait for something of an environment that is being stopped. */
export function stoppedError(): FencedError {
  return new FencedError({
    code: 'ENVIRONMENT_STOPPED',
    message: 'The Python environment was stopped meanwhile.',
  })
}

/** The started executor. A start that fails removes what it has created. */
export async function startedExecutor<Executor extends CodeExecutor>(
  executor: Executor,
  options: StartOptions,
): Promise<Executor> {
  try {
    await executor.start(options)
    return executor
  } catch (error) {
    await executor.stop()
    throw error
  }
}
