import { parseOptions } from '@fenced/core/driver'
import { z } from 'zod'
import { CodeExecutorAgent } from '../code-executor-agent/code-executor-agent.ts'
import type { ComponentKind, ConfigurableClass } from '../component/component-kind.ts'
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

type Create = ComponentKind['create']

/** A class whose constructor validates its options. */
type Checking = ConfigurableClass & { new (options: never): object }

const agent =
  (kind: Checking): Create =>
  ({ model, codeExecutionConfig, ...options }, load) =>
    made(kind, {
      ...options,
      model: load.model(model),
      codeExecutionConfig: withExecutor(codeExecutionConfig, load.executor),
    })

const codeExecutorAgent: Create = ({ model, codeExecutor, modelContext, ...options }, load) =>
  made(CodeExecutorAgent, {
    ...options,
    model: load.model(model),
    codeExecutor: load.executor(codeExecutor),
    modelContext: load.component(modelContext),
  })

const combined =
  (kind: Checking): Create =>
  ({ conditions, ...options }, load) =>
    made(kind, { ...options, conditions: load.components(conditions) })

const team: Create = ({ participants, terminationCondition, ...options }, load) => {
  const members = load.components(participants)
  return made(RoundRobinGroupChat, {
    ...options,
    participants: Array.isArray(members) ? members.map(inTeam) : members,
    terminationCondition: load.component(terminationCondition),
  })
}

const plain =
  (kind: Checking): Create =>
  (options) =>
    made(kind, options)

const withoutOptions =
  (kind: Checking): Create =>
  (options) =>
    made(kind, parseOptions(z.strictObject({}), options, kind.provider))

/** All that can be loaded without being registered. */
export const builtInComponents: ReadonlyMap<string, ComponentKind> = new Map([
  ...[ConversableAgent, AssistantAgent, UserProxyAgent].map((kind) => entry(kind, agent(kind))),
  entry(CodeExecutorAgent, codeExecutorAgent),
  entry(RoundRobinGroupChat, team),
  ...[AndTerminationCondition, OrTerminationCondition].map((kind) => entry(kind, combined(kind))),
  ...[
    ...[UnboundedChatCompletionContext, BufferedChatCompletionContext],
    ...[HeadAndTailChatCompletionContext, TokenLimitedChatCompletionContext],
    ...[MaxMessageTermination, TextMentionTermination, TextMessageTermination, HandoffTermination],
    ...[TokenUsageTermination, TimeoutTermination, SourceMatchTermination],
    ...[FunctionCallTermination, FunctionalTermination],
  ].map((kind) => entry(kind, plain(kind))),
  ...[ExternalTermination, StopMessageTermination].map((kind) => entry(kind, withoutOptions(kind))),
])

function entry({ provider }: Checking, create: Create): readonly [string, ComponentKind] {
  return [provider, { create }]
}

function made(kind: Checking, options: object): unknown {
  return new kind(options as never)
}

function withExecutor(config: unknown, load: (value: unknown) => unknown): unknown {
  if (typeof config !== 'object' || config === null) return config
  return { ...config, executor: load((config as { readonly executor?: unknown }).executor) }
}

/** A team's config contains an agent of the 0.2 family unchanged. */
function inTeam(member: unknown): unknown {
  return member instanceof ConversableAgent ? asChatAgent(member) : member
}
