import { type CodeExecutor, type ComponentConfig, FencedError, type LoadConfigOptions } from '@fenced/core'
import {
  executorRequestOf,
  isComponentConfig,
  knownOptions,
  type OptionNames,
  optionsOf,
  readComponentConfig,
} from '@fenced/core/internal'
import type { LanguageModel } from 'ai'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import type { ConfigurableClass } from '../component/to-config.ts'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../conversable-agent/presets.ts'
import { referredModels } from '../model/model-reference.ts'
import * as contexts from '../model-context/contexts.ts'
import { RoundRobinGroupChat } from '../team/round-robin-group-chat.ts'
import * as conditions from '../termination/conditions.ts'
import { AndTerminationCondition, OrTerminationCondition } from '../termination/termination.ts'

/** Options of {@link loadComponent}. */
export interface LoadComponentOptions extends LoadConfigOptions, ComponentSources {}

/** A class, to specify which component a config must contain. */
export type ComponentClass<Component> = abstract new (...args: never[]) => Component

const loadOptionNames: OptionNames<LoadComponentOptions & { readonly expect?: unknown }> = {
  expect: true,
  overrides: true,
  models: true,
  executors: true,
}

/**
 * Creates an agent, a model context, a termination condition or a team from its config, including everything in it. The kinds of
 * executors it uses must be registered: import `@fenced/executor-local/register`, or the same entry point of another package.
 *
 * A config is data: none of its text runs while it is loaded. However, its contents take effect as if you had written them,
 * including an executor without isolation or access to one of your directories. Only load configs that you would write yourself,
 * or review them first.
 *
 * @param options - With `expect`, a class, the component must be an instance of that class.
 * @throws FencedError `INVALID_OPTIONS`; `INVALID_CONFIG`, `CONFIG_INCOMPLETE`, `CONFIG_VERSION`; `UNKNOWN_COMPONENT`, `UNKNOWN_EXECUTOR`,
 *   `UNKNOWN_MODEL`, `MODELS_NEEDED`, `WRONG_COMPONENT`; errors that a component throws for its options.
 */
export function loadComponent<Component>(
  config: unknown,
  options: LoadComponentOptions & { readonly expect: ComponentClass<Component> },
): Component
export function loadComponent(config: unknown, options?: LoadComponentOptions): unknown
export function loadComponent(
  config: unknown,
  options: LoadComponentOptions & { readonly expect?: ComponentClass<unknown> } = {},
): unknown {
  const { expect, overrides, ...sources } = knownOptions(options, loadOptionNames, 'loadComponent()')
  const read = readComponentConfig(config, { overrides })
  const component = create(read, sources)
  if (expect === undefined || component instanceof expect) return component
  throw new FencedError({
    code: 'WRONG_COMPONENT',
    message: `This config is for ${read.provider}, but ${expect.name} is expected.`,
    data: { provider: read.provider, expected: expect.name },
  })
}

function create(config: ComponentConfig, sources: ComponentSources): unknown {
  const { create } = componentKind(config.provider)
  const options = Object.entries(optionsOf(config)).map(([name, value]) => [
    name,
    loaded(name, value, sources),
  ])
  return create(Object.fromEntries(options))
}

/** The value of an option, with the components and models that it describes. Other values, also those of overrides, are unchanged. */
function loaded(name: string, value: unknown, sources: ComponentSources): unknown {
  if (name === 'model') return referredModels(value, sources.models)
  if (Array.isArray(value)) return value.map((one) => loaded(name, one, sources))
  if (name === 'codeExecutionConfig' && Object(value).executor !== undefined) {
    const { executor, ...others } = value as Readonly<Record<string, unknown>>
    return { ...others, executor: loaded('executor', executor, sources) }
  }
  if (!isComponentConfig(value)) return value
  if (name !== 'executor') return create(value, sources)
  const request = executorRequestOf(value)
  return sources.executors === undefined ? request : sources.executors(request)
}

/** A kind of component that `loadComponent` can create. */
interface ComponentKind {
  /** Creates a component from its options. These come from outside and are not validated. The components and models in them are loaded. */
  readonly create: (options: Readonly<Record<string, unknown>>) => unknown
}

/** Sources of the models and executors for the loaded component. */
interface ComponentSources {
  /**
   * Returns a model by its id, which consists of the provider's and the model's name: `openai.responses/gpt-5`. Required if a
   * config contains a model that was passed as an object.
   *
   * @default none
   */
  readonly models?: ((id: string) => LanguageModel) | undefined
  /**
   * Creates the agents' executors, which the caller then stops:
   * `({ name, options }) => stack.use(createExecutor(name, options))`.
   *
   * @default every agent creates its own executor and stops it in `stop`
   */
  readonly executors?: ((request: ReturnType<typeof executorRequestOf>) => CodeExecutor) | undefined
}

/** Shared by every installed copy of this package: a component may be registered with one copy and loaded with another. */
const key = Symbol.for('fenced.components')
const shared = globalThis as { [key]?: Map<string, ComponentKind> }

function registered(): Map<string, ComponentKind> {
  shared[key] ??= new Map()
  return shared[key]
}

/**
 * Lets `loadComponent` create your own kind of component: an agent, a model context, a termination condition or a team. Its
 * `toConfig` returns a config with this provider. Registering a name again replaces the previous kind. Built-in names cannot be
 * replaced.
 *
 * @throws FencedError `INVALID_OPTIONS` for a built-in name.
 */
export function registerComponent(provider: string, kind: ComponentKind): void {
  if (builtInComponents.has(provider)) {
    const message = `"${provider}" is a component of @fenced/agents. Register yours under another name.`
    throw new FencedError({ code: 'INVALID_OPTIONS', message, data: { provider } })
  }
  registered().set(provider, kind)
}

/** @throws FencedError `UNKNOWN_COMPONENT`. */
function componentKind(provider: string): ComponentKind {
  const kind = builtInComponents.get(provider) ?? registered().get(provider)
  if (kind !== undefined) return kind
  const known = [...builtInComponents.keys(), ...registered().keys()].sort().join(', ')
  throw new FencedError({
    code: 'UNKNOWN_COMPONENT',
    message: `No component is called "${provider}". Known components: ${known}. A component from another package is known once that package has called registerComponent. To load an executor, use loadExecutor from @fenced/core.`,
    data: { provider, known },
  })
}

/** A class whose constructor validates its options. */
type Checking = ConfigurableClass & { new (options: never): object }

const classes: readonly Checking[] = [
  ...[ConversableAgent, AssistantAgent, UserProxyAgent, CodeExecutorAgent, RoundRobinGroupChat],
  ...[AndTerminationCondition, OrTerminationCondition],
  ...Object.values(conditions),
  ...Object.values(contexts),
]

/** All that can be loaded without being registered. */
export const builtInComponents: ReadonlyMap<string, ComponentKind> = new Map(
  classes.map((kind) => [kind.provider, { create: (options) => new kind(options as never) }]),
)
