import { type CodeExecutor, FencedError, type StartOptions } from '@fenced/core'
import { type ExecutorOptions, parseOptions } from '@fenced/core/driver'
import { SharedStart } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { WarmOption } from '@fenced/sandbox'
import type { PythonInterpreter } from './python-interpreter.ts'
import { type WorkingDirectory, workingDirectorySchema } from './working-directory.ts'

/** A Python with its packages, and the executors that use it. */
export interface PythonEnvironment extends AsyncDisposable {
  /**
   * Prepares the environment. Calling it is optional, because all other methods start the environment when needed. Concurrent
   * calls share one start.
   *
   * @throws FencedError whose code identifies the problem.
   */
  start(options?: StartOptions): Promise<void>
  /** Returns information about the Python. */
  interpreter(options?: StartOptions): Promise<PythonInterpreter>
  /**
   * Installs packages, in the format of `pip install`: `numpy`, `requests==2.32.3`, `name @ https://...`.
   *
   * @throws FencedError `INSTALL_FAILED`, with the installer's output; `EXTERNALLY_MANAGED`.
   */
  install(packages: readonly string[], options?: StartOptions): Promise<void>
  /**
   * Returns a started executor that uses this Python. Its shell blocks find the Python as `python` and `pip`. The caller stops
   * the executor.
   */
  createExecutor(options?: CreateExecutorOptions): Promise<CodeExecutor>
  /** Removes everything that was created for the environment. Idempotent. */
  stop(): Promise<void>
}

/** The working directory of an executor, and its start options. */
export interface ExecutorPlacement extends StartOptions {
  /**
   * Working directory of programs, or its path. It is kept when the executor is stopped.
   *
   * @default a temporary directory, removed with the executor
   */
  readonly workDir?: WorkingDirectory | string | undefined
}

const placementSchema = z.looseObject({ workDir: workingDirectorySchema.optional() })

/** Options of `createExecutor` in which a path has become a directory. */
export type Placed<Options extends ExecutorPlacement> = Omit<Options, 'workDir'> & {
  readonly workDir?: WorkingDirectory | undefined
}

/** @throws FencedError `INVALID_OPTIONS` for an invalid working directory. */
export function readPlacement<Options extends ExecutorPlacement>(options: Options): Placed<Options> {
  const { workDir } = parseOptions(placementSchema, options, 'createExecutor()')
  return { ...options, workDir }
}

/** Options of {@link PythonEnvironment.createExecutor} that all environments accept. Some environments add options. */
export interface CreateExecutorOptions extends ExecutorOptions, ExecutorPlacement {
  /**
   * Whether programs are forked from a resident Python process, and which modules that process imports. Same as the executors'
   * `warm` option.
   *
   * @default true
   */
  readonly warm?: WarmOption | undefined
}

/** An environment whose concurrent callers share one start. */
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

/** The error for callers that wait for an environment that is being stopped. */
export function stoppedError(): FencedError {
  return new FencedError({
    code: 'ENVIRONMENT_STOPPED',
    message: 'The Python environment was stopped during the call. Call again to start it.',
  })
}

/** Starts an executor. A failed start removes everything that it created. */
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
