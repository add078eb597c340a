import type { CodeExecutor } from '../code-executor.ts'
import { createExecutor, executorVersions } from '../executor-registry.ts'
import type { ComponentConfig } from './component-config.ts'
import { optionsOfToday } from './component-version.ts'
import { type LoadConfigOptions, readComponentConfig } from './read-component-config.ts'

/** A kind of executors that is registered, and the options for one of them. */
export interface ExecutorRequest {
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
}

/**
 * Makes an executor from its config. Its kind must be registered: import `@fenced/executor-local/register`, or that of
 * whichever package has it. No code of a config is run; what it asks for is, so load only what you would write.
 *
 * @throws FencedError `INVALID_CONFIG`, `CONFIG_INCOMPLETE`, `CONFIG_VERSION`, `UNKNOWN_EXECUTOR`; what the executor
 *   throws for its options.
 */
export function loadExecutor(config: unknown, options?: LoadConfigOptions): CodeExecutor {
  const { name, options: given } = executorRequestOf(readComponentConfig(config, options))
  return createExecutor(name, given)
}

/**
 * What `createExecutor` needs to make the executor of a config that was read already, by itself or in a larger one.
 *
 * @throws FencedError `CONFIG_VERSION`, `UNKNOWN_EXECUTOR`.
 */
export function executorRequestOf(config: ComponentConfig): ExecutorRequest {
  return { name: config.provider, options: optionsOfToday(config, executorVersions(config.provider)) }
}
