import type { ComponentConfig, ToConfigOptions } from '@fenced/core'
import { givenOptions } from '@fenced/core/driver'
import type { AgentParts } from '../agent/agent-parts.ts'
import { modelAgentConfig } from '../model/model-reference.ts'
import { ownReplyFunctions } from '../reply/produce-reply.ts'

/** The current config of an agent, see `Agent.toConfig`. */
export function agentConfig(parts: AgentParts, options?: ToConfigOptions): ComponentConfig {
  const { agent, given, settings } = parts
  const current = {
    ...givenOptions(given, settings),
    ...changed(parts),
    codeExecutionConfig: codeExecutionConfig(parts),
    ...registered(parts),
  }
  return modelAgentConfig(agent, { options: current, settings }, options)
}

/** What can be changed after an agent was made, where it says something. */
function changed(parts: AgentParts): Readonly<Record<string, unknown>> {
  const { agent, given, settings, systemMessage, conversations } = parts
  const { description } = agent
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
function codeExecutionConfig({ given, settings, codeExecution }: AgentParts): unknown {
  if (codeExecution === undefined || settings.codeExecutionConfig === false) return given.codeExecutionConfig
  return {
    ...givenOptions(given.codeExecutionConfig as object, settings.codeExecutionConfig),
    executor: codeExecution.executor,
  }
}

/** Registered functions and tools. They are not data, so `toConfig` reports them. */
function registered({ hooks, replies, modelTools, executableTools }: AgentParts): Record<string, unknown> {
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
