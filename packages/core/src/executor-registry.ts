import type { CodeExecutor } from './code-executor.ts'
import { FencedError } from './fenced-error.ts'

/** Makes an executor from its options, which are plain data. */
export type ExecutorFactory = (options: Readonly<Record<string, unknown>>) => CodeExecutor

/** Shared by every installed copy of this package: whoever registers may not have the copy of whoever asks. */
const key = Symbol.for('fenced.executors')
const shared = globalThis as { [key]?: Map<string, ExecutorFactory> }

function executors(): Map<string, ExecutorFactory> {
  shared[key] ??= new Map()
  return shared[key]
}

/**
 * Gives a kind of executor a name, so that a program or a configuration can ask for it without importing it. An
 * executor's package does this in a module of its own, `@fenced/executor-local/register`. The last one who takes a name
 * has it.
 */
export function registerExecutor(name: string, factory: ExecutorFactory): void {
  executors().set(name, factory)
}

/**
 * Makes an executor of a registered kind.
 *
 * @throws FencedError `UNKNOWN_EXECUTOR` with the names that are known; what the executor itself throws for its options.
 */
export function createExecutor(name: string, options: Readonly<Record<string, unknown>> = {}): CodeExecutor {
  const factory = executors().get(name)
  if (factory !== undefined) return factory(options)
  const known = [...executors().keys()].sort()
  const knows = known.length === 0 ? 'none is registered' : `registered are ${known.join(', ')}`
  throw new FencedError({
    code: 'UNKNOWN_EXECUTOR',
    message: `No executor is called "${name}": ${knows}. Packages register theirs when you import them for that: import '@fenced/executor-local/register'.`,
  })
}
