import { ConversableAgent } from '../conversable-agent/conversable-agent.ts'
import type { AgentEvent } from '../event.ts'
import { type Message, type MessageInput, textOf } from '../message/message.ts'
import type { ReplyContext } from './agent.ts'
import type { ConversableAgentOptions } from './agent-options.ts'
import type { Chat } from './chat-context.ts'

type Line = MessageInput | null | undefined

/** What an agent says, turn by turn: a list, after which it has no reply, or a function that knows it. */
type Lines = readonly Line[] | ((turn: number, context: ReplyContext) => Line | Promise<Line>)

/** An agent that says its lines when all else has no reply. No person speaks for it unless the options say so. */
export function speaker(
  name: string,
  lines: Lines = [],
  options: Partial<ConversableAgentOptions> = {},
): ConversableAgent {
  const agent = new ConversableAgent({ name, humanInputMode: 'never', ...options })
  let turn = 0
  agent.registerReply(
    () => true,
    async (context) => {
      const line = typeof lines === 'function' ? await lines(turn++, context) : lines[turn++]
      return { reply: line ?? null }
    },
    { position: Number.POSITIVE_INFINITY },
  )
  return agent
}

/** Says the same for ever. */
export const endless =
  (line: MessageInput): Lines =>
  () =>
    line

export async function eventsOf(chat: Chat<unknown>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for await (const event of chat) events.push(event)
  return events
}

export const typesOf = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type)

export function eventsOfType<Type extends AgentEvent['type']>(
  events: readonly AgentEvent[],
  type: Type,
): Extract<AgentEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type)
}

export const contentsOf = (messages: readonly Message[] | undefined): string[] => (messages ?? []).map(textOf)

/** What one agent keeps of what it and another one said. */
export const historyOf = (agent: ConversableAgent, partner: ConversableAgent): readonly Message[] =>
  agent.chatMessages.get(partner) ?? []

/** The code of the error that something rejects with or throws. */
export async function codeOf(action: () => unknown): Promise<string> {
  try {
    await action()
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
  return 'no error'
}
