import type { CodeExecutor } from './code-executor.ts'
import type { ComponentVersions } from './configuration/component-version.ts'
import { FencedError } from './fenced-error.ts'

/** Makes an executor from its options, which are plain data. */
export type ExecutorFactory = (options: Readonly<Record<string, unknown>>) => CodeExecutor

interface RegisteredExecutor {
  readonly factory: ExecutorFactory
  readonly versions: ComponentVersions
}

/** Shared by every installed copy of this package: whoever registers may not have the copy of whoever asks. */
const key = Symbol.for('fenced.executors')
const shared = globalThis as { [key]?: Map<string, RegisteredExecutor> }

/** Where the names are registered that our own configs have. */
const packages: ReadonlyMap<string, string> = new Map([
  ['commandline-local', '@fenced/executor-local'],
  ['commandline-docker', '@fenced/executor-docker'],
  ['jupyter', '@fenced/executor-jupyter'],
  ['ipython-embedded', '@fenced/executor-jupyter'],
])

/** What the executors call themselves: `executor.name`. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['local', 'commandline-local'],
  ['docker', 'commandline-docker'],
])

function executors(): Map<string, RegisteredExecutor> {
  shared[key] ??= new Map()
  return shared[key]
}

/**
 * Gives a kind of executor a name, so that a program or a configuration can ask for it without importing it. An
 * executor's package does this in a module of its own, `@fenced/executor-local/register`. The last one who takes a name
 * has it. The versions are those of its configs: by default there is only the first.
 */
export function registerExecutor(
  name: string,
  factory: ExecutorFactory,
  versions: ComponentVersions = {},
): void {
  executors().set(name, { factory, versions })
}

/**
 * Makes an executor of a registered kind. `local` and `docker` are short for `commandline-local` and
 * `commandline-docker`.
 *
 * @throws FencedError `UNKNOWN_EXECUTOR` with the names that are known; what the executor itself throws for its options.
 */
export function createExecutor(name: string, options: Readonly<Record<string, unknown>> = {}): CodeExecutor {
  return registered(name).factory(options)
}

/** @throws FencedError `UNKNOWN_EXECUTOR`. */
export function executorVersions(name: string): ComponentVersions {
  return registered(name).versions
}

function registered(name: string): RegisteredExecutor {
  const found = executors().get(name) ?? executors().get(aliases.get(name) ?? '')
  if (found !== undefined) return found
  const known = [...executors().keys()].sort()
  const knows = known.length === 0 ? 'none is registered' : `registered are ${known.join(', ')}`
  const from = packages.get(aliases.get(name) ?? name) ?? '@fenced/executor-local'
  throw new FencedError({
    code: 'UNKNOWN_EXECUTOR',
    message: `No executor is called "${name}": ${knows}. Packages register theirs when you import them for that: import '${from}/register'.`,
  })
}
