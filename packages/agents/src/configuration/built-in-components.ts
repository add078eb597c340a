import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import type { ComponentKind, ConfigurableClass, NestedLoader } from '../component/component-kind.ts'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../conversable-agent/presets.ts'
import * as contexts from '../model-context/contexts.ts'
import { RoundRobinGroupChat } from '../team/round-robin-group-chat.ts'
import * as conditions from '../termination/conditions.ts'
import { AndTerminationCondition, OrTerminationCondition } from '../termination/termination.ts'

/** A class whose constructor validates its options. */
type Checking = ConfigurableClass & { new (options: never): object }

/** The options with components and models in them, and how each is created. */
const nested: ReadonlyMap<string, (value: unknown, load: NestedLoader) => unknown> = new Map([
  ['model', (value, load) => load.model(value)],
  ['executor', (value, load) => load.executor(value)],
  ['codeExecutionConfig', codeExecutionConfig],
  ['modelContext', (value, load) => load.component(value)],
  ['terminationCondition', (value, load) => load.component(value)],
  ['conditions', (value, load) => load.components(value)],
  ['participants', (value, load) => load.components(value)],
])

function codeExecutionConfig(value: unknown, load: NestedLoader): unknown {
  return isObject(value) && 'executor' in value
    ? { ...value, executor: load.executor(value.executor) }
    : value
}

const classes: readonly Checking[] = [
  ...[ConversableAgent, AssistantAgent, UserProxyAgent, CodeExecutorAgent, RoundRobinGroupChat],
  ...[AndTerminationCondition, OrTerminationCondition],
  ...Object.values(conditions),
  ...Object.values(contexts),
]

/** All that can be loaded without being registered. */
export const builtInComponents: ReadonlyMap<string, ComponentKind> = new Map(
  classes.map((kind) => [kind.provider, { create: (options, load) => create(kind, options, load) }]),
)

function create(kind: Checking, options: Readonly<Record<string, unknown>>, load: NestedLoader): object {
  const made = Object.entries(options).map(([name, value]) => [
    name,
    nested.get(name)?.(value, load) ?? value,
  ])
  return new kind(Object.fromEntries(made) as never)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
