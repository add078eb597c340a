import type { ModelMessage } from 'ai'
import { internalsOf } from '../agent/agent-internals.ts'
import type { ReplyChat } from '../chat/chat-context.ts'
import type { ChatMessage, ToolCall, ToolResponse } from '../message/chat-message.ts'
import { toModelMessages } from '../model/to-model-messages.ts'
import { type AnyAgentTool, callTool } from '../tool/agent-tool.ts'
import type { ReplyContext, ReplyFunction } from './reply-function.ts'

/** Makes the calls that the last message asks for, all at the same time, and replies with the answers in their order. */
export const generateToolCallsReply: ReplyFunction = async ({ agent, messages, sender, chat }) => {
  const { callableTools } = internalsOf(agent)
  const { toolCalls } = messages.at(-1) ?? {}
  if (toolCalls === undefined || toolCalls.length === 0) return undefined
  const told = toModelMessages({
    messages: callersMessages({ agent, messages, sender }).slice(0, -1),
  }).messages
  const toolResponses = await Promise.all(
    toolCalls.map((call) =>
      answer(call, { agent: agent.name, chat, messages: told, tool: callableTools.get(call.name) }),
    ),
  )
  const content = toolResponses.map((response) => response.content).join('\n\n')
  return { reply: { role: 'tool', content, toolResponses } }
}

/** The conversation from the side of the one whose model has asked: its own words are the model's. */
function callersMessages({
  agent,
  messages,
  sender,
}: Pick<ReplyContext, 'agent' | 'messages' | 'sender'>): readonly ChatMessage[] {
  const theirs = sender === undefined ? [] : internalsOf(sender).conversations.with(agent).messages
  return theirs.length === 0 ? messages : theirs
}

interface Answerer {
  readonly messages: ModelMessage[]
  readonly agent: string
  readonly chat: ReplyChat
  readonly tool: AnyAgentTool | undefined
}

async function answer(call: ToolCall, { agent, chat, messages, tool }: Answerer): Promise<ToolResponse> {
  await chat.emit({ type: 'tool-start', agent, call })
  const response = await callTool(tool, call, {
    messages,
    signal: chat.signal,
    onOutput: (output) => chat.emit({ type: 'tool-output', agent, call, output }),
  })
  await chat.emit({ type: 'tool-end', agent, call, response })
  return response
}
