import type { JupyterCodeExecutor, JupyterExecutorOptions } from '@fenced/executor-jupyter'
import { directExecutor } from './support.ts'

/** An executor whose kernel is a fork. */
export async function forkedExecutor(options = inOwnEnvironment()): Promise<JupyterCodeExecutor> {
  const executor = directExecutor(options)
  await executor.start()
  // From the second on they are forks.
  await executor.restart()
  return executor
}

let count = 0

/** No other test has a Python for it. */
export function inOwnEnvironment(env: Record<string, string> = {}): JupyterExecutorOptions {
  return { env: { FENCED_TEST: `${process.pid}-${++count}`, ...env } }
}
