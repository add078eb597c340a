import type { ModelMessage } from 'ai'
import { internalsOf } from '../agent/agent-internals.ts'
import type { ChatMessage, ToolCall, ToolResponse } from '../message/chat-message.ts'
import { callTool } from '../tool/call-tool.ts'
import type { ReplyContext } from './reply-function.ts'

type Caller = Pick<ReplyContext, 'agent' | 'chat'> & {
  /** What led to the calls, for the tools. */
  readonly messages: ModelMessage[]
}

/** Makes calls of tools, all at the same time, and returns the message with the answers in their order. */
export async function callTools(toolCalls: readonly ToolCall[], caller: Caller): Promise<ChatMessage> {
  const toolResponses = await Promise.all(toolCalls.map((call) => answer(call, caller)))
  const content = toolResponses.map((response) => response.content).join('\n\n')
  return { role: 'tool', content, toolResponses }
}

async function answer(call: ToolCall, { agent, chat, messages }: Caller): Promise<ToolResponse> {
  const { callableTools, approveTool, settings } = internalsOf(agent)
  await chat.emit({ type: 'tool-start', agent: agent.name, call })
  const response = await callTool(callableTools.get(call.name), call, {
    messages,
    signal: chat.signal,
    onOutput: (output) => chat.emit({ type: 'tool-output', agent: agent.name, call, output }),
    approveTool,
    sandbox: settings.sandbox,
  })
  await chat.emit({ type: 'tool-end', agent: agent.name, call, response })
  return response
}
