import { type ComponentConfig, FencedError, type ToConfigOptions } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import type { Running } from '@fenced/core/internal'
import { z } from 'zod'
import { configOfOptions } from '../component/component-kind.ts'
import type { AgentEvent, TaskResult } from '../event.ts'
import {
  type AgentState,
  type Participant,
  participantsSchema,
  type RunTaskOptions,
  type Team,
} from '../task/chat-agent.ts'
import { OneAtATime } from '../task/one-at-a-time.ts'
import { runTask, taskMessages, taskOptions } from '../task/run-task.ts'
import type { LoadStateOptions } from '../task/saved-questions.ts'
import { type TerminationCondition, terminationConditionSchema } from '../termination/termination.ts'
import { runTeam } from './run-team.ts'
import { TeamMemory } from './team-memory.ts'

export const roundRobinGroupChatOptionsSchema = z.strictObject({
  participants: participantsSchema,
  terminationCondition: terminationConditionSchema.optional(),
  maxTurns: z.int().positive().optional(),
  name: z.string().min(1).default('RoundRobinGroupChat'),
  description: z.string().default('A team whose members speak in turn.'),
  emitTeamEvents: z.boolean().default(false),
})

/** Options of {@link RoundRobinGroupChat}. Only `participants` are needed. */
export interface RoundRobinGroupChatOptions {
  /** Agents and teams, in the order in which they speak; each with a name of its own. */
  readonly participants: readonly Participant[]
  /** When the work is done. Default: it goes on until it is cancelled, or `maxTurns` is reached. */
  readonly terminationCondition?: TerminationCondition | undefined
  /** How many turns one run has at most. Default: no limit. */
  readonly maxTurns?: number | undefined
  /** Default `RoundRobinGroupChat`. */
  readonly name?: string | undefined
  /** Its description for other agents. */
  readonly description?: string | undefined
  /** Whether there is an event about who speaks next, `speaker-selected`. Default `false`. */
  readonly emitTeamEvents?: boolean | undefined
}

/**
 * A team whose participants speak in turn. What one says, all others hear when they speak next, and the task as well. Each program
 * of a message runs once: in the first participant that speaks and can run it, and in every CodeExecutorAgent whose `sources` name the
 * author of the message. The others report it (`code-skipped`).
 *
 * A run ends when its condition is met, which is looked at before the first and after every turn; when `maxTurns` is
 * reached; or when it is cancelled. The next run continues with the participant that comes next: with a new task, or without one. A
 * speaker who was cancelled or has failed in the middle comes again.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export class RoundRobinGroupChat implements Team {
  static readonly provider: string = 'RoundRobinGroupChat'
  readonly name: string
  readonly description: string
  readonly options: z.output<typeof roundRobinGroupChatOptionsSchema>
  readonly #memory: TeamMemory
  readonly #working = new OneAtATime(() => isRunning(this.name))

  constructor(options: RoundRobinGroupChatOptions) {
    this.options = parseOptions(roundRobinGroupChatOptionsSchema, options, 'RoundRobinGroupChat')
    this.name = this.options.name
    this.description = this.options.description
    this.#memory = new TeamMemory(this.options.participants)
  }

  /**
   * Does a task: await it for the result, iterate it for what happens. Leaving the loop cancels it, and waits until nobody
   * speaks any more.
   *
   * It rejects with a FencedError: `INVALID_TASK`; `TEAM_IS_RUNNING`; `AGENT_FAILED`, whose cause is what the agent failed
   * with; and with what a termination condition throws. It can be run again then.
   */
  run(given?: string | RunTaskOptions): Running<TaskResult, AgentEvent> {
    const { task, signal, outputTaskMessages = true, programs = this.#memory.programs } = taskOptions(given)
    return runTask(
      this.name,
      async (context, start) => {
        using _busy = this.#working.take()
        return await runTeam(
          {
            ...this.options,
            ...{ memory: this.#memory, programs, task: taskMessages(task), outputTaskMessages, start },
          },
          this.#working.following(context),
        )
      },
      signal,
    )
  }

  /** Forgets everything, and so does every participant. @throws FencedError `TEAM_IS_RUNNING`. */
  async reset(): Promise<void> {
    using _busy = this.#working.take()
    await this.#memory.reset()
  }

  /**
   * What it and its participants remember, to continue elsewhere: between two runs, also where the last one was cancelled or
   * reached `maxTurns` in the middle of the work; and while a person is asked for a reply or whether code may be run. The team
   * that has loaded such a state asks again when it is run without a task.
   *
   * @throws FencedError `TEAM_IS_RUNNING`.
   */
  async saveState(): Promise<AgentState> {
    using _busy = this.#working.look()
    return await this.#memory.save()
  }

  /**
   * Continues where a team with participants of the same names was saved. Participants ask an open question again, or deny it
   * (`onQuestion: 'deny'`).
   *
   * @throws FencedError `INVALID_STATE`, `TEAM_IS_RUNNING`; what a participant throws for its own state, such as `APPROVAL_REQUIRED`. No
   *   participant has changed then.
   */
  async loadState(state: AgentState, options?: LoadStateOptions): Promise<void> {
    using _busy = this.#working.take()
    await this.#memory.load(state, options)
  }

  /**
   * What it and its participants are made of, for `loadComponent`: not what they remember.
   *
   * @throws FencedError `NOT_CONFIGURABLE` for a function of a participant, or a participant that cannot say what it is
   *   made of.
   */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    return configOfOptions(this, options)
  }
}

function isRunning(name: string): FencedError {
  return new FencedError({
    code: 'TEAM_IS_RUNNING',
    message: `The team ${name} is at work. Wait for the end of its run, or cancel it; for two tasks at once make two teams, with agents of their own.`,
    data: { team: name },
  })
}
