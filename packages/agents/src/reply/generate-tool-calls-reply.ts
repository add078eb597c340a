import type { ReplyFunction } from '../agent/agent.ts'
import type { Message } from '../message/message.ts'
import { toolCallsOf } from '../message/tool-parts.ts'
import { callTools } from '../tool/call-tool.ts'
import { ownReply, type ReplyTurn } from './own-reply.ts'

/** Executes the tool calls in the last message concurrently, and replies with the results in order. */
export const generateToolCallsReply: ReplyFunction = ownReply(async (turn) => {
  const { agent, chat } = turn
  const last = turn.messages.at(-1)
  const toolCalls = last === undefined ? [] : toolCallsOf(last)
  if (toolCalls.length === 0) return undefined
  const messages = callersMessages(turn).slice(0, -1)
  const saved = chat.takeSavedCalls()
  return {
    reply: await callTools(toolCalls, { ...agent.caller, agent: agent.name, run: chat, messages, saved }),
  }
})

/** The conversation from the side of the agent whose model calls: its own words are the model's. */
function callersMessages({ agent, messages, sender }: ReplyTurn): readonly Message[] {
  const theirs = sender?.conversations.with(agent.agent).messages ?? []
  return theirs.length === 0 ? messages : theirs
}
