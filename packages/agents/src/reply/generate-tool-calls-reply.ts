import { internalsOf } from '../agent/agent-internals.ts'
import type { ReplyChat } from '../chat/chat-context.ts'
import type { ToolCall, ToolResponse } from '../message/chat-message.ts'
import { type AnyAgentTool, callTool } from '../tool/agent-tool.ts'
import type { ReplyFunction } from './reply-function.ts'

/** Makes the calls that the last message asks for, all at the same time, and replies with the answers in their order. */
export const generateToolCallsReply: ReplyFunction = async ({ agent, messages, chat }) => {
  const { callableTools } = internalsOf(agent)
  const { toolCalls } = messages.at(-1) ?? {}
  if (toolCalls === undefined || toolCalls.length === 0) return undefined
  const toolResponses = await Promise.all(
    toolCalls.map((call) => answer(call, { agent: agent.name, chat, tool: callableTools.get(call.name) })),
  )
  const content = toolResponses.map((response) => response.content).join('\n\n')
  return { reply: { role: 'tool', content, toolResponses } }
}

interface Answerer {
  readonly agent: string
  readonly chat: ReplyChat
  readonly tool: AnyAgentTool | undefined
}

async function answer(call: ToolCall, { agent, chat, tool }: Answerer): Promise<ToolResponse> {
  await chat.emit({ type: 'tool-start', agent, call })
  const response = await callTool(tool, call, {
    signal: chat.signal,
    onOutput: (output) => chat.emit({ type: 'tool-output', agent, call, output }),
  })
  await chat.emit({ type: 'tool-end', agent, call, response })
  return response
}
