import type { CodeExecutor } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import type { CreateExecutorOptions } from './python-environment.ts'

/** A started executor on this machine, for the Python at `python`. */
export async function createLocalExecutor(
  python: string,
  { workingDirectory, signal, onNotice, ...options }: CreateExecutorOptions,
): Promise<CodeExecutor> {
  const executor = new LocalCommandLineCodeExecutor({
    ...options,
    python,
    ...(workingDirectory === undefined ? {} : { workDir: workingDirectory.path }),
  })
  try {
    await executor.start({
      ...(signal === undefined ? {} : { signal }),
      ...(onNotice === undefined ? {} : { onNotice }),
    })
    return executor
  } catch (error) {
    await executor.stop()
    throw error
  }
}
