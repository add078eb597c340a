import type { Agent, ReplyContext, ReplyFunction } from '../agent/agent.ts'
import { internalsOf } from '../agent/agent-internals.ts'
import { type ReplyChat, savedIn } from '../agent/chat-context.ts'
import type { Message } from '../message/message.ts'
import { toolCallsOf } from '../message/tool-parts.ts'
import type { ToolUser } from '../tool/answer-with-tools.ts'
import { callTools } from '../tool/call-tool.ts'
import { stopsByItself } from './stops-by-itself.ts'

/** Executes the tool calls in the last message concurrently, and replies with the results in order. */
export const generateToolCallsReply: ReplyFunction = stopsByItself(
  async ({ agent, messages, sender, chat }) => {
    const last = messages.at(-1)
    const toolCalls = last === undefined ? [] : toolCallsOf(last)
    if (toolCalls.length === 0) return undefined
    const before = callersMessages({ agent, messages, sender }).slice(0, -1)
    const caller = { ...callerOf(agent, chat), agent: agent.name, run: chat, messages: before }
    return { reply: await callTools(toolCalls, caller) }
  },
)

/** The parts of an agent that its tool calls need. */
export function callerOf(agent: Agent, chat: ReplyChat): ToolUser['caller'] {
  const { executableTools: byName, askTool, ledger, settings } = internalsOf(agent)
  return { byName, askTool, ledger, saved: savedIn(chat, 'tool'), sandbox: settings.sandbox }
}

/** The conversation from the side of the one whose model has asked: its own words are the model's. */
function callersMessages({
  agent,
  messages,
  sender,
}: Pick<ReplyContext, 'agent' | 'messages' | 'sender'>): readonly Message[] {
  const theirs = sender === undefined ? [] : internalsOf(sender).conversations.with(agent).messages
  return theirs.length === 0 ? messages : theirs
}
