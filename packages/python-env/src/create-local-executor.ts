import type { CodeExecutor } from '@fenced/core'
import { LocalCommandLineCodeExecutor, type LocalExecutorOptions } from '@fenced/executor-local'
import {
  type ExecutorPlacement,
  type Placed,
  type PythonEnvironment,
  startedExecutor,
} from './python-environment.ts'

/** Options of `createExecutor` for environments on this machine: the executor's options, and the working directory. */
export type CreateLocalExecutorOptions = Omit<LocalExecutorOptions, 'python' | 'workDir'> & ExecutorPlacement

/** A Python on this machine, and how to install packages into it. */
export interface LocalPython extends Pick<PythonEnvironment, 'install'> {
  /** The interpreter, or a virtual environment. */
  readonly path: string
  /** Source of its packages; `undefined` where the installer's own configuration decides. */
  readonly packageIndex: string | undefined
}

/** Returns a started executor on this machine. */
export async function createLocalExecutor(
  python: LocalPython,
  { workDir, signal, onNotice, ...options }: Placed<CreateLocalExecutorOptions>,
): Promise<CodeExecutor> {
  const executor = new LocalCommandLineCodeExecutor(
    {
      ...options,
      python: python.path,
      ...(workDir === undefined ? {} : { workDir: workDir.path }),
    },
    {
      packageIndex: python.packageIndex,
      installPackages: (packages, { signal, notice }) =>
        python.install(packages, { signal, onNotice: notice }),
    },
  )
  return startedExecutor(executor, { signal, onNotice })
}
