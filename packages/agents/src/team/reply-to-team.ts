import type { AssistantContent } from 'ai'
import type { Agent } from '../agent/agent.ts'
import { partsOf } from '../agent/agent-parts.ts'
import type { ChatContext } from '../agent/chat-context.ts'
import type { Conversation } from '../agent/conversations.ts'
import { contentWith, madePictures } from '../message/made-parts.ts'
import { createMessage, type Message, metadataOf, textOf } from '../message/message.ts'
import { toReceived, userMessage } from '../message/sent-and-received.ts'
import {
  callsText,
  type ToolCall,
  toolCallPart,
  toolCallsOf,
  toolResponsesOf,
  toolResultsOf,
} from '../message/tool-parts.ts'
import { endsWithTermination, originOf } from '../message/written-text.ts'
import { produceReply } from '../reply/produce-reply.ts'
import { blocksOf, holdPrograms } from '../running/code-blocks.ts'
import { takeTurns } from '../running/run-with-events.ts'

/** Lets an agent reply to its messages, with calls of its own tools. */
export async function replyToTeam(agent: Agent, team: Agent, chat: ChatContext): Promise<Message> {
  const { conversations, hooks } = partsOf(agent)
  const { messages } = conversations.with(team)
  const source = agent.name
  let ownCalls = openCallsOf(messages.at(-1), source)
  const said = (content: AssistantContent, { of, stop }: { of?: Message; stop?: boolean } = {}) => {
    const facts = metadataOf({ usage: chat.usage.summary(), isCut: of?.metadata?.isCut, stop })
    const origin = of === undefined ? 'program' : originOf(of)
    return createMessage({ role: 'assistant', source, origin, content, ...facts })
  }
  return await takeTurns(chat.signal, async () => {
    const asked = messages.at(-1)
    const reply = await produceReply(partsOf(agent), { messages, sender: partsOf(team), chat })
    chat.signal.throwIfAborted()
    if (reply.message === null) return said(reply.endsChat, { stop: true })

    const sent = await hooks.beforeSend(reply.message, { sender: agent, recipient: team })
    messages.push(...reply.innerMessages, sent)
    const text = textOf(sent)
    const toolCalls = toolCallsOf(sent)
    if (toolCalls.length > 0) {
      await chat.emit({ type: 'tool-calls', agent: source, content: text, toolCalls })
      if (!canCall(agent, toolCalls)) return said(callsContent(text, toolCalls), { of: sent })
      ownCalls = sent.id
    } else if (sent.role === 'tool') {
      await chat.emit({ type: 'tool-results', agent: source, results: toolResponsesOf(sent) })
      if (asked?.id !== ownCalls) return { ...sent, ...metadataOf({ usage: chat.usage.summary() }) }
    } else if (reply.endsChat !== undefined || endsTeam(sent)) {
      return said(text, { of: sent, stop: true })
    } else {
      return said(contentWith(text, madePictures(sent)), { of: sent })
    }
    return undefined
  })
}

/** The message whose calls the agent was about to make when it was saved. */
export function openCallsOf(last: Message | undefined, name: string): string {
  return last?.source === name && toolCallsOf(last).length > 0 ? last.id : ''
}

/** If it has none of the tools, the calls are for a different agent. */
function canCall(agent: Agent, calls: readonly ToolCall[]): boolean {
  const { executableTools } = partsOf(agent)
  return calls.some(({ name }) => executableTools.has(name))
}

/** Calls for a different member of the team, also as text for members without the tools. */
function callsContent(text: string, toolCalls: readonly ToolCall[]): AssistantContent {
  return [{ type: 'text', text: text === '' ? callsText(toolCalls) : text }, ...toolCalls.map(toolCallPart)]
}

/**
 * Whether a reply ends the team. Its code runs first: the agent that runs it learns about the end, and ends the conversation.
 */
export function endsTeam(message: Message): boolean {
  return endsWithTermination(message) && !holdPrograms(blocksOf(message))
}

/** A message of a team, as an agent of the 0.2 family keeps it. */
export function fromTeamMessage(message: Message, agent: Agent, { messages }: Conversation): Message {
  const { executableTools } = partsOf(agent)
  if (toolCallsOf(message).some(({ name }) => executableTools.has(name))) return toReceived(message)
  const last = messages.at(-1)
  const own = new Set(last === undefined ? [] : toolCallsOf(last).map(({ id }) => id))
  const results = toolResultsOf(message)
  const areForAgent = results.length > 0 && results.every(({ toolCallId }) => own.has(toolCallId))
  return areForAgent ? message : userMessage(message)
}
