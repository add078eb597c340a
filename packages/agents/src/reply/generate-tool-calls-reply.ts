import type { Agent, ReplyContext, ReplyFunction } from '../agent/agent.ts'
import { internalsOf } from '../agent/agent-internals.ts'
import { type ReplyChat, savedIn } from '../agent/chat-context.ts'
import type { Message } from '../message/message.ts'
import { toolCallsOf } from '../message/tool-parts.ts'
import { toModelMessages } from '../model/to-model-messages.ts'
import { type CallingAgent, callTools } from '../tool/call-tool.ts'
import { stopsByItself } from './stops-by-itself.ts'

/** Executes the tool calls in the last message concurrently, and replies with the results in order. */
export const generateToolCallsReply: ReplyFunction = stopsByItself(
  async ({ agent, messages, sender, chat }) => {
    const last = messages.at(-1)
    const toolCalls = last === undefined ? [] : toolCallsOf(last)
    if (toolCalls.length === 0) return undefined
    const before = callersMessages({ agent, messages, sender }).slice(0, -1)
    return { reply: await callTools(toolCalls, callerOf(agent, { chat, messages: before })) }
  },
)

/** @param context - `messages` is what led to the calls, for the tools. */
export function callerOf(
  agent: Agent,
  { chat, messages }: { readonly chat: ReplyChat; readonly messages: readonly Message[] },
): CallingAgent {
  const { executableTools: byName, askTool, ledger, settings } = internalsOf(agent)
  const { sandbox } = settings
  const saved = savedIn(chat, 'tool')
  return {
    agent: agent.name,
    run: chat,
    byName,
    askTool,
    ledger,
    saved,
    sandbox,
    ...toModelMessages({ messages }),
  }
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
