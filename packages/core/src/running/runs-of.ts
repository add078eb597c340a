import type { CodeExecutor } from '../code-executor.ts'

/**
 * Key of a method of an executor: takes what cancels a run that lasts longer than one call of `execute`. `stop()` and `restart()` then
 * cancel it, too. Other installed copies of this package find it.
 */
export const joinRuns: unique symbol = Symbol.for('fenced.joinRuns') as never

/** An executor that cancels such runs. */
export interface JoinableRuns {
  [joinRuns](run: AbortController): Disposable
}

/** Lets the end of an executor cancel a run. Executors of third parties do not tell their end. */
export function joinRunsOf(executor: CodeExecutor, run: AbortController): Disposable | undefined {
  return (executor as Partial<JoinableRuns>)[joinRuns]?.(run)
}
