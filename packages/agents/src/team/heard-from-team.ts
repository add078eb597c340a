import type { Agent } from '../agent/agent.ts'
import { internalsOf } from '../agent/agent-internals.ts'
import type { Conversation } from '../agent/conversations.ts'
import { type Message, textOf, withText } from '../message/message.ts'
import { heardMessage } from '../message/spoken-and-heard.ts'
import { toolCallsOf, toolResultsOf } from '../message/tool-parts.ts'

/** A message of a team, as an agent of the 0.2 family keeps it. */
export function heardFromTeam(message: Message, agent: Agent, { messages }: Conversation): Message {
  const { callableTools } = internalsOf(agent)
  if (toolCallsOf(message).some(({ name }) => callableTools.has(name))) return heardMessage(message)
  const last = messages.at(-1)
  const own = new Set(last === undefined ? [] : toolCallsOf(last).map(({ id }) => id))
  const results = toolResultsOf(message)
  const areForAgent = results.length > 0 && results.every(({ toolCallId }) => own.has(toolCallId))
  return areForAgent ? message : userMessage(message)
}

/** A message as its listener's model is given it: calls of tools and their answers are a text. */
export function userMessage(message: Message): Message {
  const { id, source, createdAt, metadata } = message
  const envelope = { id, source, createdAt, ...(metadata === undefined ? {} : { metadata }) }
  const files = message.role === 'tool' || typeof message.content === 'string' ? [] : message.content
  const pictures = files.filter((part) => part.type === 'file')
  const text = textOf(message)
  const content = pictures.length === 0 ? text : [{ type: 'text', text } as const, ...pictures]
  return { ...envelope, role: 'user', content }
}

/** The messages with the names of their speakers, where an agent hears more than one. @param self - who is not named. */
export function withNames(messages: readonly Message[], self?: string): readonly Message[] {
  const isHeard = ({ role, source }: Message) => role === 'user' && source !== self
  const speakers = new Set(messages.filter(isHeard).map(({ source }) => source))
  if (speakers.size < 2) return messages
  // On a line of its own, where it does not hide the beginning of a block of code.
  return messages.map((message) =>
    isHeard(message) ? withText(message, `${message.source}:\n${textOf(message)}`) : message,
  )
}
