import { internalsOf } from '../agent/agent-internals.ts'
import type { ConversableAgent } from '../agent/conversable-agent.ts'
import type { Conversation } from '../agent/conversations.ts'
import type { AgentMessage } from '../message/agent-message.ts'
import type { ChatMessage } from '../message/chat-message.ts'

/** A message of a team, as an agent of the 0.2 family keeps it. */
export function heardFromTeam(
  message: AgentMessage,
  agent: ConversableAgent,
  { messages }: Conversation,
): ChatMessage {
  const { content } = message
  if (message.type === 'ToolCallSummaryMessage') {
    const { toolCalls, results } = message
    const { callableTools } = internalsOf(agent)
    if (results.length === 0 && toolCalls.some(({ name }) => callableTools.has(name)))
      return { role: 'assistant', content, toolCalls }
    const own = messages.at(-1)?.toolCalls ?? []
    if (results.length > 0 && results.every(({ toolCallId }) => own.some(({ id }) => id === toolCallId)))
      return { role: 'tool', content, toolResponses: results }
  }
  return userMessage(message)
}

/** A message as its listener's model is given it. */
export function userMessage({ source, content, ...message }: AgentMessage): ChatMessage {
  const pictures = message.type === 'TextMessage' ? message.pictures : undefined
  return { role: 'user', name: source, content, ...(pictures === undefined ? {} : { pictures }) }
}

/** The messages with the names of their speakers, where an agent hears more than one. @param self - who is not named. */
export function withNames(messages: readonly ChatMessage[], self?: string): readonly ChatMessage[] {
  const isHeard = ({ role, name }: ChatMessage) => role === 'user' && (self === undefined || name !== self)
  const speakers = new Set(messages.filter(isHeard).map(({ name }) => name))
  if (speakers.size < 2) return messages
  // On a line of its own, where it does not hide the beginning of a block of code.
  return messages.map((message) =>
    isHeard(message) ? { ...message, content: `${message.name}:\n${message.content}` } : message,
  )
}
