import type { ComponentConfig, ToConfigOptions } from '@fenced/core'
import { givenOptions } from '@fenced/core/driver'
import { toComponentConfig } from '@fenced/core/internal'
import type { Agent } from '../agent/agent.ts'
import { type AgentInternals, internalsOf } from '../agent/agent-internals.ts'
import { providerOf } from '../component/component-kind.ts'
import { modelReferences, modelSecrets } from '../model/model-reference.ts'
import { ownReplyFunctions } from '../reply/own-replies.ts'

/** The current config of an agent, see `Agent.toConfig`. */
export function agentConfig(agent: Agent, options?: ToConfigOptions): ComponentConfig {
  const state = internalsOf(agent)
  const { given, settings } = state
  return toComponentConfig(
    {
      provider: providerOf(agent),
      options: {
        ...givenOptions(given, settings),
        ...changed(agent, state),
        model: modelReferences(settings.model),
        codeExecutionConfig: codeExecutionConfig(state),
        ...registered(state),
      },
      ...modelSecrets(settings),
    },
    options,
  )
}

/** What can be changed after an agent was made, where it says something. */
function changed(
  { description }: Agent,
  { given, settings, systemMessage, conversations }: AgentInternals,
): Readonly<Record<string, unknown>> {
  const limit = conversations.maxConsecutiveAutoReply()
  const unless = (name: keyof typeof given, isDefault: boolean, value: unknown) =>
    given[name] === undefined && isDefault ? {} : { [name]: value }
  return {
    ...unless('systemMessage', systemMessage === settings.systemMessage, systemMessage),
    ...unless('description', description === systemMessage, description),
    ...unless('maxConsecutiveAutoReply', limit === settings.maxConsecutiveAutoReply, limit),
  }
}

/** A UserProxyAgent tells none from `false`. */
function codeExecutionConfig({ given, settings, codeExecution }: AgentInternals): unknown {
  if (codeExecution === undefined || settings.codeExecutionConfig === false) return given.codeExecutionConfig
  return {
    ...givenOptions(given.codeExecutionConfig as object, settings.codeExecutionConfig),
    executor: codeExecution.executor,
  }
}

/** Registered functions and tools. They are not data, so `toConfig` reports them. */
function registered({
  hooks,
  replies,
  modelTools,
  executableTools,
}: AgentInternals): Record<string, unknown> {
  const functions = [...replies].map(({ reply }) => reply)
  const areOwn =
    functions.every((reply) => ownReplyFunctions.has(reply)) && new Set(functions).size === functions.length
  return {
    ...(modelTools.size + executableTools.size === 0
      ? {}
      : { tools: new Map([...modelTools, ...executableTools]) }),
    ...(hooks.isEmpty ? {} : { hooks }),
    ...(areOwn ? {} : { replyFunctions: replies }),
  }
}
