import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import type { ComponentKind, ConfigurableClass, NestedLoader } from '../component/component-kind.ts'
import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import { AssistantAgent, UserProxyAgent } from '../conversable-agent/presets.ts'
import {
  BufferedChatCompletionContext,
  HeadAndTailChatCompletionContext,
  UnboundedChatCompletionContext,
} from '../model-context/message-windows.ts'
import { TokenLimitedChatCompletionContext } from '../model-context/token-limited.ts'
import { asChatAgent } from '../team/as-chat-agent.ts'
import { RoundRobinGroupChat } from '../team/round-robin-group-chat.ts'
import {
  ExternalTermination,
  MaxMessageTermination,
  TimeoutTermination,
  TokenUsageTermination,
} from '../termination/limit-conditions.ts'
import {
  FunctionalTermination,
  FunctionCallTermination,
  HandoffTermination,
  SourceMatchTermination,
  StopMessageTermination,
  TextMentionTermination,
  TextMessageTermination,
} from '../termination/message-conditions.ts'
import { AndTerminationCondition, OrTerminationCondition } from '../termination/termination.ts'

/** A class whose constructor validates its options. */
type Checking = ConfigurableClass & { new (options: never): object }

/** The options with components and models in them, and how each is created. */
const nested = {
  model: (value, load) => load.model(value),
  executor: (value, load) => load.executor(value),
  codeExecutionConfig: (value, load) =>
    isObject(value) && 'executor' in value ? { ...value, executor: load.executor(value.executor) } : value,
  modelContext: (value, load) => load.component(value),
  terminationCondition: (value, load) => load.component(value),
  conditions: (value, load) => load.components(value),
  participants: (value, load) => {
    const members = load.components(value)
    return Array.isArray(members) ? members.map(inTeam) : members
  },
} as const satisfies Readonly<Record<string, (value: unknown, load: NestedLoader) => unknown>>

/** All that can be loaded without being registered. */
export const builtInComponents: ReadonlyMap<string, ComponentKind> = new Map([
  entry(ConversableAgent, 'model', 'codeExecutionConfig'),
  entry(AssistantAgent, 'model', 'codeExecutionConfig'),
  entry(UserProxyAgent, 'model', 'codeExecutionConfig'),
  entry(CodeExecutorAgent, 'model', 'executor', 'modelContext'),
  entry(RoundRobinGroupChat, 'participants', 'terminationCondition'),
  entry(AndTerminationCondition, 'conditions'),
  entry(OrTerminationCondition, 'conditions'),
  ...[
    ...[UnboundedChatCompletionContext, BufferedChatCompletionContext],
    ...[HeadAndTailChatCompletionContext, TokenLimitedChatCompletionContext],
    ...[MaxMessageTermination, TextMentionTermination, TextMessageTermination, HandoffTermination],
    ...[TokenUsageTermination, TimeoutTermination, SourceMatchTermination],
    ...[FunctionCallTermination, FunctionalTermination],
  ].map((kind) => entry(kind)),
  ...[ExternalTermination, StopMessageTermination].map((kind) => {
    const create: ComponentKind['create'] = (options) => {
      parseOptions(z.strictObject({}), options, kind.provider)
      return new kind()
    }
    return [kind.provider, { create }] as const
  }),
])

function entry(kind: Checking, ...parts: readonly (keyof typeof nested)[]): readonly [string, ComponentKind] {
  const create: ComponentKind['create'] = (options, load) => {
    const made = parts.map((name) => [name, nested[name](options[name], load)])
    return new kind({ ...options, ...Object.fromEntries(made) } as never)
  }
  return [kind.provider, { create }]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** A team's config contains an agent of the 0.2 family unchanged. */
function inTeam(member: unknown): unknown {
  return member instanceof ConversableAgent ? asChatAgent(member) : member
}
