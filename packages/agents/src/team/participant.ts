import { z } from 'zod'
import { type AgentEvent, type AgentMessage, isMessage } from '../task/agent-message.ts'
import type { ChatAgent, TaskRunner } from '../task/chat-agent.ts'

/** Several agents that do a task together. */
export interface Team extends TaskRunner {
  readonly name: string
  /** Its description for other agents. */
  readonly description: string
}

/** Who can sit in a team: an agent, or another team, which speaks in its turn until it has come to its own end. */
export type Participant = ChatAgent | Team

const isParticipant = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const { name, run, reset, saveState, loadState } = value as Partial<Participant>
  const methods = [run, reset, saveState, loadState]
  return typeof name === 'string' && methods.every((method) => typeof method === 'function')
}

/** At least one, each with a name of its own. */
export const participantsSchema = z
  .array(z.custom<Participant>(isParticipant, 'must be an agent or a team'))
  .min(1, 'at least one participant is needed')
  .refine(
    (participants) => new Set(participants.map(({ name }) => name)).size === participants.length,
    'the names of the participants must be unique',
  )

/** How a turn is taken. */
export interface TurnOptions {
  readonly signal: AbortSignal
  /** Called with everything that happens in the turn, in order. */
  readonly tell: (item: AgentMessage | AgentEvent) => Promise<void>
  /** Called with what the others are to hear. */
  readonly say: (message: AgentMessage) => void
}

/** Lets a participant speak once: an agent answers, a team does a task. */
export async function takeTurn(
  participant: Participant,
  messages: readonly AgentMessage[],
  { signal, tell, say }: TurnOptions,
): Promise<void> {
  if ('onMessages' in participant) {
    const answering = participant.onMessages(messages, { signal })
    for await (const item of answering) {
      if (item.type !== 'Response' && item.type !== 'events-dropped') await tell(item)
    }
    const { message } = await answering
    say(message)
    await tell(message)
    return
  }
  const task = messages.length === 0 ? undefined : messages
  const running = participant.run({ task, signal, outputTaskMessages: false })
  for await (const item of running) {
    if (item.type === 'TaskResult' || item.type === 'events-dropped') continue
    if (isMessage(item)) say(item)
    await tell(item)
  }
  if ((await running).status === 'cancelled') signal.throwIfAborted()
}
