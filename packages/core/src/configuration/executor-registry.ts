import { FencedError } from '@fenced/errors'
import type { CodeExecutor } from '../code-executor.ts'
import { type ComponentConfig, optionsOf } from './component-config.ts'
import { checkLoadOptions, type LoadConfigOptions, readComponentConfig } from './read-component-config.ts'

/** Creates an executor from its options, which are plain data. */
export type ExecutorFactory = (options: Readonly<Record<string, unknown>>) => CodeExecutor

/** Shared by all installed copies of this package: the copy that registers an executor can differ from the copy that makes it. */
const key = Symbol.for('fenced.executors')
const shared = globalThis as { [key]?: Map<string, ExecutorFactory> }

function executors(): Map<string, ExecutorFactory> {
  shared[key] ??= new Map()
  return shared[key]
}

/**
 * Registers a kind of executor under a name, so that a program or configuration can use it without importing it. Executor
 * packages do this in a separate module, such as `@fenced/executor-local/register`. If a name is registered twice, the last
 * registration wins.
 */
export function registerExecutor(name: string, factory: ExecutorFactory): void {
  executors().set(name, factory)
}

/**
 * Creates an executor of a registered kind. The prefix `commandline-` is optional: `docker` means `commandline-docker`.
 *
 * @throws FencedError `UNKNOWN_EXECUTOR` with the known names; errors that the executor throws for its options.
 */
export function createExecutor(name: string, options: Readonly<Record<string, unknown>> = {}): CodeExecutor {
  return registered(name)(options)
}

/** Arguments for {@link createExecutor}. */
interface ExecutorRequest {
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * Creates an executor from its config. Its kind must be registered, so import `@fenced/executor-local/register` or the same
 * module from another executor's package. A config contains no code, but it determines where code runs and which hosts it can
 * reach. Load only configs that you trust.
 *
 * @throws FencedError `INVALID_CONFIG`, `CONFIG_INCOMPLETE`, `CONFIG_VERSION`, `UNKNOWN_EXECUTOR`; errors that the executor
 *   throws for its options.
 */
export function loadExecutor(config: unknown, options?: LoadConfigOptions): CodeExecutor {
  const { name, options: given } = executorRequestOf(readComponentConfig(config, checkLoadOptions(options)))
  return createExecutor(name, given)
}

/**
 * Returns what {@link createExecutor} needs for a config that {@link readComponentConfig} has returned, alone or inside a
 * larger one.
 *
 * @throws FencedError `CONFIG_VERSION`, `UNKNOWN_EXECUTOR`.
 */
export function executorRequestOf(config: ComponentConfig): ExecutorRequest {
  registered(config.provider)
  return { name: config.provider, options: optionsOf(config) }
}

/** @throws FencedError `UNKNOWN_EXECUTOR`. */
function registered(name: string): ExecutorFactory {
  const all = executors()
  const found = all.get(name) ?? all.get(`commandline-${name}`)
  if (found !== undefined) return found
  const known = [...all.keys()].sort().join(', ')
  throw new FencedError({
    code: 'UNKNOWN_EXECUTOR',
    message: `No executor is registered as "${name}". Registered: ${known || 'none'}. Import the \`register\` module of its package first, for example import '@fenced/executor-local/register'.`,
    data: { executor: name, known },
  })
}
