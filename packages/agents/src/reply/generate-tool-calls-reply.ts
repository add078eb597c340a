import { internalsOf } from '../agent/agent-internals.ts'
import type { ChatMessage } from '../message/chat-message.ts'
import { toModelMessages } from '../model/to-model-messages.ts'
import { callTools } from './call-tools.ts'
import type { ReplyContext, ReplyFunction } from './reply-function.ts'

/** Makes the calls that the last message asks for, all at the same time, and replies with the answers in their order. */
export const generateToolCallsReply: ReplyFunction = async ({ agent, messages, sender, chat }) => {
  const { toolCalls } = messages.at(-1) ?? {}
  if (toolCalls === undefined || toolCalls.length === 0) return undefined
  const before = callersMessages({ agent, messages, sender }).slice(0, -1)
  return { reply: await callTools(toolCalls, { agent, chat, ...toModelMessages({ messages: before }) }) }
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
