import type { CodeExecutor } from '../code-executor.ts'

/**
 * Key of an internal option of `execute`: the engine awaits the function once, after the executor is ready and before the first
 * program. A rejection ends the call, and nothing runs. Other installed copies of this package find it, too.
 */
export const beforeFirstProgram: unique symbol = Symbol.for('fenced.beforeFirstProgram') as never

/** Options for `execute` with the hook. */
export interface StartHook {
  readonly [beforeFirstProgram]?: (() => Promise<void>) | undefined
}

/** Key of the property of an executor that says whether its `execute` awaits the hook. */
export const tellsStart: unique symbol = Symbol.for('fenced.tellsStart') as never

/** Whether an executor awaits {@link beforeFirstProgram}. Executors of third parties do not. */
export function awaitsStartHook(executor: CodeExecutor): boolean {
  return (executor as { readonly [tellsStart]?: unknown })[tellsStart] === true
}

/** The hook in the options of a call. A call that is cancelled before it does not start. */
export function startHookOf(options: unknown): (signal: AbortSignal) => Promise<void> {
  const { [beforeFirstProgram]: hook } = Object(options) as StartHook
  return async (signal) => {
    signal.throwIfAborted()
    await hook?.()
  }
}
