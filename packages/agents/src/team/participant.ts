import { z } from 'zod'
import type { EventInit } from '../event.ts'
import type { Message } from '../message/message.ts'
import type { ChatAgent, TaskRunner } from '../task/chat-agent.ts'
import { agentMessageOf, isOfTurn, said } from '../task/run-task.ts'

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
  readonly tell: (event: EventInit) => Promise<void>
  /** Called with what the others are to hear. */
  readonly say: (message: Message) => void
}

/** Lets a participant speak once: an agent answers, a team does a task. */
export async function takeTurn(
  participant: Participant,
  messages: readonly Message[],
  { signal, tell, say }: TurnOptions,
): Promise<void> {
  if ('onMessages' in participant) {
    const answering = participant.onMessages(messages, { signal })
    for await (const event of answering) {
      if (isOfTurn(event)) await tell(event)
    }
    const { message } = await answering
    say(message)
    await tell(said(message))
    return
  }
  const task = messages.length === 0 ? undefined : messages
  const running = participant.run({ task, signal, outputTaskMessages: false })
  for await (const event of running) {
    if (!isOfTurn(event)) continue
    const message = agentMessageOf(event)
    if (message !== undefined) say(message)
    await tell(event)
  }
  if ((await running).status === 'cancelled') signal.throwIfAborted()
}
