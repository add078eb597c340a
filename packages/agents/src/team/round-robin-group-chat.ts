import { type ComponentConfig, FencedError, type ToConfigOptions } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import { configOfOptions } from '../component/to-config.ts'
import type { AgentState, TaskResult } from '../event.ts'
import type { LoadStateOptions } from '../running/saved-questions.ts'
import { participantsSchema, type Team } from '../task/chat-agent.ts'
import { runTask, taskMessages } from '../task/run-task.ts'
import { SuspendableRunner } from '../task/suspendable-runner.ts'
import type { RunWithin } from '../task/within-run.ts'
import { type TerminationCondition, terminationConditionSchema } from '../termination/termination.ts'
import { asParticipant, type TeamMember } from './as-chat-agent.ts'
import { runTeam } from './run-team.ts'
import { TeamMemory } from './team-memory.ts'

export const roundRobinGroupChatOptionsSchema = z.strictObject({
  participants: z
    .array(z.unknown())
    .transform((members) => members.map(asParticipant))
    .pipe(participantsSchema),
  terminationCondition: terminationConditionSchema.optional(),
  maxTurns: z.int().positive().optional(),
  name: z.string().min(1).default('RoundRobinGroupChat'),
  description: z.string().default('A team whose members speak in turn.'),
  emitTeamEvents: z.boolean().default(false),
})

/** Options of {@link RoundRobinGroupChat}. Only `participants` is required. */
export interface RoundRobinGroupChatOptions {
  /**
   * Agents and teams, in speaking order, each with a unique name. Conversable agents and AI SDK agents are wrapped with
   * {@link asChatAgent}; call it yourself to set its options.
   */
  readonly participants: readonly TeamMember[]
  /** Condition that ends a run. @default a run ends at `maxTurns`, or when it is cancelled */
  readonly terminationCondition?: TerminationCondition | undefined
  /** Maximum number of turns in a run. @default no limit */
  readonly maxTurns?: number | undefined
  /** Name of the team. @default 'RoundRobinGroupChat' */
  readonly name?: string | undefined
  /** The team's description for other agents. */
  readonly description?: string | undefined
  /** Whether to report the next speaker in a `speaker-selected` event. @default false */
  readonly emitTeamEvents?: boolean | undefined
}

/**
 * A team whose participants speak in turn. Before its turn, each participant receives the task and the others' messages. Each
 * program in a message runs once: in the first participant that speaks and can run it, and in every CodeExecutorAgent whose
 * `sources` name the author. Other participants report `code-skipped`.
 *
 * A run ends when its condition is met, which is checked before the first turn and after every turn; at `maxTurns`; or when it is
 * cancelled. The next run continues with the next participant, with or without a new task. If a speaker failed or was cancelled,
 * the same participant speaks again.
 *
 * `run` rejects with a FencedError: `INVALID_TASK`; `TEAM_IS_RUNNING`; `AGENT_FAILED`, with the error of the agent as its cause; and
 * with the error of a termination condition. The team can run again afterwards.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class RoundRobinGroupChat extends SuspendableRunner implements Team {
  static readonly provider: string = 'RoundRobinGroupChat'
  readonly name: string
  readonly description: string
  readonly options: z.output<typeof roundRobinGroupChatOptionsSchema>
  readonly #memory: TeamMemory

  constructor(options: RoundRobinGroupChatOptions) {
    super()
    this.options = parseOptions(roundRobinGroupChatOptionsSchema, options, 'RoundRobinGroupChat')
    this.name = this.options.name
    this.description = this.options.description
    this.#memory = new TeamMemory(this.options.participants)
  }

  protected async runWithin(...[given, context]: Parameters<RunWithin>): Promise<TaskResult> {
    const { task, outputTaskMessages = true, programs = this.#memory.programs, ...questions } = given
    return await runTask(this, context, async (run) => {
      using _busy = this.begin()
      if (questions.onQuestion === 'suspend') this.checkSuspendable()
      return await runTeam(
        {
          ...{ ...this.options, memory: this.#memory, programs, questions },
          ...{ task: taskMessages(task), outputTaskMessages },
        },
        this.following(run),
      )
    })
  }

  checkSuspendable(): void {
    for (const member of this.options.participants)
      if ('checkSuspendable' in member) (member as Pick<this, 'checkSuspendable'>).checkSuspendable()
  }

  protected forget(): Promise<void> {
    return this.#memory.reset()
  }

  protected save(): Promise<AgentState> {
    return this.#memory.save()
  }

  protected load(state: AgentState, options: LoadStateOptions | undefined): Promise<void> {
    return this.#memory.load(state, options)
  }

  protected refusal(): FencedError {
    return new FencedError({
      code: 'TEAM_IS_RUNNING',
      message: `The team ${this.name} is running. Wait until its run ends, or cancel the run. For two tasks at once, create two teams with separate agents.`,
      data: { team: this.name },
    })
  }

  /**
   * Returns the team and its participants as data for `loadComponent`, without their messages.
   *
   * @throws FencedError `NOT_CONFIGURABLE` if a participant contains a function or has no `toConfig`.
   */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    return configOfOptions(this, options)
  }
}
