import { type CodeExecutor, type ComponentConfig, FencedError, type LoadConfigOptions } from '@fenced/core'
import {
  type ExecutorRequest,
  executorRequestOf,
  isComponentConfig,
  optionsOf,
  readComponentConfig,
} from '@fenced/core/internal'
import type { LanguageModel } from 'ai'
import type { ComponentKind, NestedLoader } from '../component/component-kind.ts'
import { referredModels } from '../model/model-reference.ts'
import { builtInComponents } from './built-in-components.ts'

/** Options of {@link loadComponent}. */
export interface LoadComponentOptions extends LoadConfigOptions, ComponentSources {}

/** A class, to say what is expected of a config. */
export type ComponentClass<Component> = abstract new (...args: never[]) => Component

/**
 * Makes an agent, a model context, a termination condition or a team from its config, with all that is in it. The kinds of
 * its executors must be registered: import `@fenced/executor-local/register`, or that of whichever package has them.
 *
 * A config is data: none of its text is run while it is loaded. What it asks for is used, as if you had written it: an
 * executor without isolation, a directory of yours. So load only what you would write, or look at it before.
 *
 * @param options - with `expect`, a class, what was made must be one of its objects.
 * @throws FencedError `INVALID_CONFIG`, `CONFIG_INCOMPLETE`, `CONFIG_VERSION`; `UNKNOWN_COMPONENT`, `UNKNOWN_EXECUTOR`,
 *   `UNKNOWN_MODEL`, `MODELS_NEEDED`, `WRONG_COMPONENT`; what a component throws for its options.
 */
export function loadComponent<Component>(
  config: unknown,
  options: LoadComponentOptions & { readonly expect: ComponentClass<Component> },
): Component
export function loadComponent(config: unknown, options?: LoadComponentOptions): unknown
export function loadComponent(
  config: unknown,
  {
    expect,
    overrides,
    ...sources
  }: LoadComponentOptions & { readonly expect?: ComponentClass<unknown> } = {},
): unknown {
  const read = readComponentConfig(config, { overrides })
  const component = create(read, nestedLoader(sources))
  if (expect === undefined || component instanceof expect) return component
  throw new FencedError({
    code: 'WRONG_COMPONENT',
    message: `This is the config of a ${read.provider}, and a ${expect.name} is expected.`,
    data: { provider: read.provider, expected: expect.name },
  })
}

function create(config: ComponentConfig, load: NestedLoader): unknown {
  const { create } = componentKind(config.provider)
  return create(optionsOf(config), load)
}

function nestedLoader({ models, executors }: ComponentSources): NestedLoader {
  const load: NestedLoader = {
    component: (value) => (isComponentConfig(value) ? create(value, load) : value),
    components: (values) => (Array.isArray(values) ? values.map(load.component) : values),
    executor: (value) => {
      if (!isComponentConfig(value)) return value
      const request = executorRequestOf(value)
      return executors === undefined ? request : executors(request)
    },
    model: (value) => referredModels(value, models),
  }
  return load
}

/** Sources of models and executors for the loaded component. */
export interface ComponentSources {
  /**
   * Gives a model by its id: the provider's name and its own, `openai.responses/gpt-5`. Needed where a config has a
   * model that was given as an object. Default: there are none.
   */
  readonly models?: ((id: string) => LanguageModel) | undefined
  /**
   * Makes the executors of agents, which then are yours to stop:
   * `({ name, options }) => stack.use(createExecutor(name, options))`. Default: every agent has its own, which its `stop`
   * ends.
   */
  readonly executors?: ((request: ExecutorRequest) => CodeExecutor) | undefined
}

/** Shared by every installed copy of this package: a component may be registered with one copy and loaded with another. */
const key = Symbol.for('fenced.components')
const shared = globalThis as { [key]?: Map<string, ComponentKind> }

function registered(): Map<string, ComponentKind> {
  shared[key] ??= new Map()
  return shared[key]
}

/**
 * Lets `loadComponent` make a kind of component of yours: an agent, a model context, a termination condition, a team.
 * Its `toConfig` gives a config with this provider. The last one who takes a name has it; ours cannot be taken.
 *
 * @throws FencedError `INVALID_OPTIONS` for a name of ours.
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
    message: `No component is called "${provider}". There are ${known}. One of another package is known once that package has called registerComponent; executors are loaded with loadExecutor of @fenced/core.`,
    data: { provider, known },
  })
}
