import type { CodeExecutor, StartOptions } from '@fenced/core'

/** The executor, started; what a start that fails has begun is taken away. */
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
