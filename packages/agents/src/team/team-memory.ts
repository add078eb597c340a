import { FencedError } from '@fenced/core'
import { z } from '@fenced/core/zod'
import type { AgentState } from '../event.ts'
import type { Message } from '../message/message.ts'
import { messageSchema } from '../message/sent-and-received.ts'
import type { LoadStateOptions } from '../running/saved-questions.ts'
import { TeamProgramList, teamProgramsSchema } from '../running/team-programs.ts'
import { readState } from '../task/agent-state.ts'
import type { Participant } from '../task/chat-agent.ts'

const stateSchema = z.lazy(() =>
  z.strictObject({
    type: z.literal('RoundRobinGroupChat'),
    version: z.literal(3),
    nextSpeaker: z.string(),
    programs: teamProgramsSchema.exactOptional(),
    participants: z.array(
      z.strictObject({
        name: z.string(),
        untold: z.array(messageSchema),
        state: z.looseObject({ type: z.string(), version: z.number() }),
      }),
    ),
  }),
)

/** What a team keeps from one turn to the next: who speaks then, and what each has not heard yet. */
export class TeamMemory {
  readonly #participants: readonly Participant[]
  readonly #untold = new Map<string, Message[]>()
  /** Those that members have run. */
  readonly programs = new TeamProgramList()
  #next = 0

  constructor(participants: readonly Participant[]) {
    this.#participants = participants
  }

  get speaker(): Participant {
    const speaker = this.#participants[this.#next]
    if (speaker === undefined) throw new RangeError('A team has at least one participant.')
    return speaker
  }

  nextSpeaker(): void {
    this.#next = (this.#next + 1) % this.#participants.length
  }

  /** For all members except the sender. */
  add(message: Message, saidBy?: Participant): void {
    for (const participant of this.#participants) {
      if (participant !== saidBy) this.#unreadBy(participant.name).push(message)
    }
  }

  /** What a participant has not heard; from now on it counts as heard. */
  tell({ name }: Participant): readonly Message[] {
    const messages = this.#unreadBy(name)
    this.#untold.delete(name)
    return messages
  }

  async reset(): Promise<void> {
    this.#next = 0
    this.#untold.clear()
    this.programs.load([])
    for (const participant of this.#participants) await participant.reset()
  }

  async save(): Promise<AgentState> {
    const participants = []
    for (const participant of this.#participants) {
      const { name } = participant
      participants.push({ name, untold: [...this.#unreadBy(name)], state: await participant.saveState() })
    }
    const programs = this.programs.list()
    const ran = programs.length === 0 ? {} : { programs }
    return { type: 'RoundRobinGroupChat', version: 3, nextSpeaker: this.speaker.name, participants, ...ran }
  }

  /** @throws FencedError `INVALID_STATE`, also for other participants; what they throw for theirs. Nothing has changed then. */
  async load(state: AgentState, options: LoadStateOptions | undefined): Promise<void> {
    const {
      nextSpeaker,
      participants: saved,
      programs = [],
    } = readState(stateSchema, state, 'RoundRobinGroupChat')
    const next = this.#participants.findIndex(({ name }) => name === nextSpeaker)
    const states = this.#participants.map((participant) => ({
      participant,
      saved: saved.find(({ name }) => name === participant.name),
    }))
    const isOther = saved.length !== states.length || states.some((one) => one.saved === undefined)
    if (next === -1 || isOther) throw otherParticipants(this.#participants, saved)
    await loadAll(
      states.flatMap(({ participant, saved }) =>
        saved === undefined ? [] : { participant, state: saved.state },
      ),
      options,
    )
    this.#next = next
    this.programs.load(programs)
    this.#untold.clear()
    for (const { name, untold } of saved) this.#untold.set(name, untold)
  }

  #unreadBy(name: string): Message[] {
    const messages = this.#untold.get(name) ?? []
    this.#untold.set(name, messages)
    return messages
  }
}

interface ParticipantState {
  readonly participant: Participant
  readonly state: AgentState
}

/** Loads the state of each participant, or leaves all of them as they were. */
async function loadAll(
  states: readonly ParticipantState[],
  options: LoadStateOptions | undefined,
): Promise<void> {
  const before: ParticipantState[] = []
  try {
    for (const { participant, state } of states) {
      const kept = await participant.saveState()
      await participant.loadState(state, options)
      before.push({ participant, state: kept })
    }
  } catch (error) {
    for (const { participant, state } of before) await participant.loadState(state)
    throw error
  }
}

function otherParticipants(
  participants: readonly { readonly name: string }[],
  saved: readonly { readonly name: string }[],
): FencedError {
  const names = (of: readonly { readonly name: string }[]) => of.map(({ name }) => name).join(', ')
  return new FencedError({
    code: 'INVALID_STATE',
    message: `This was saved by a team of ${names(saved)}, so it cannot be loaded by a team of ${names(participants)}.`,
    data: { savedParticipants: names(saved), participants: names(participants) },
  })
}
