import type { FencedError } from '@fenced/core'
import { knownOptions, type Running } from '@fenced/core/internal'
import type { AgentEvent, AgentState, TaskResult } from '../event.ts'
import type { QuestionAnswers } from '../running/questions.ts'
import { type RunContext, runWithEvents } from '../running/run-with-events.ts'
import { type LoadStateOptions, OpenQuestions, type SavedTurn } from '../running/saved-questions.ts'
import { checkAnswers, questionsIn } from './agent-state.ts'
import type { RunTaskOptions, TaskRunner } from './chat-agent.ts'
import { taskOptions } from './run-task.ts'
import { type RunWithin, runsWithin, runWithin } from './within-run.ts'

/** Options of `resume`. */
export interface ResumeOptions extends Pick<RunTaskOptions, 'signal'> {
  /** What the questions do that have no answer yet: see `run`. @default 'suspend' */
  readonly onQuestion?: RunTaskOptions['onQuestion']
}

/**
 * What agents and teams share: one operation at a time, and a state from which another process continues. Reading is allowed while a
 * question about code, a tool or a reply is open: no state changes then.
 */
export abstract class SuspendableRunner implements TaskRunner {
  abstract readonly name: string
  abstract readonly description: string
  readonly #questions = new OpenQuestions()
  #isBusy = false

  static {
    runsWithin(SuspendableRunner.prototype.run, (runner: SuspendableRunner, ...run) =>
      runner.runWithin(...run),
    )
  }

  /** Does a task within a run, whose events are its own. */
  protected abstract runWithin(...run: Parameters<RunWithin>): Promise<TaskResult>
  protected abstract forget(): Promise<void>
  protected abstract save(): Promise<AgentState>
  protected abstract load(state: AgentState, options: LoadStateOptions | undefined): Promise<void>
  /** The error of an operation that begins during another operation. */
  protected abstract refusal(): FencedError
  /** @throws FencedError `LEDGER_NOT_SHARED` if no other process could read the answers to questions that wait. */
  abstract checkSuspendable(): void

  run(task?: string | RunTaskOptions): Running<TaskResult, AgentEvent> {
    const { signal, ...options } = taskOptions(task)
    return runWithEvents((context) => this.runWithin(options, context), signal)
  }

  /**
   * Continues a run that ended with the status `waiting`, in this or another process. Questions without an answer end it again.
   *
   * If several processes resume one state, its program runs once: the others reject with a FencedError `APPROVAL_USED`, or wait with a
   * question that says that the program may have run.
   *
   * Rejects with `INVALID_STATE`, `UNKNOWN_APPROVAL` for the id of a question that is not open in the state, `INVALID_APPROVAL`, and like
   * `run`.
   *
   * @param answers - Answers to the state's questions, keyed by id.
   */
  resume(
    state: AgentState,
    answers: QuestionAnswers,
    options: ResumeOptions = {},
  ): Running<TaskResult, AgentEvent> {
    const { signal } = Object(options) as ResumeOptions
    return runWithEvents(async (context) => {
      const { onQuestion = 'suspend' } = knownOptions(options, { signal: true, onQuestion: true }, 'resume()')
      checkAnswers(answers, questionsIn(state))
      await this.loadState(state, { onQuestion })
      return await runWithin(this, { onQuestion, answers }, context)
    }, signal)
  }

  async reset(): Promise<void> {
    using _busy = this.begin()
    await this.forget()
  }

  async saveState(): Promise<AgentState> {
    using _busy = this.openTurn === undefined ? this.begin() : undefined
    return await this.save()
  }

  async loadState(state: AgentState, options?: LoadStateOptions): Promise<void> {
    using _busy = this.begin()
    await this.load(state, options)
  }

  /** Until it is disposed of nothing else happens. */
  protected begin(): Disposable {
    if (this.#isBusy) throw this.refusal()
    this.#isBusy = true
    this.#questions.clear()
    return {
      [Symbol.dispose]: () => {
        this.#isBusy = false
        this.#questions.clear()
      },
    }
  }

  /** The turn, as a state keeps it; `undefined` if no question of the run is open. */
  protected get openTurn(): SavedTurn | undefined {
    return this.#questions.turn
  }

  /** The same run, whose questions are known here. */
  protected following<Run extends RunContext>(run: Run): Run {
    return this.#questions.following(run)
  }

  /**
   * The turn after a failure, if its questions are to be asked again: questions of a state that was loaded, or of this turn. A
   * question of a cancelled run is withdrawn.
   */
  protected unanswered(saved: SavedTurn | undefined, { signal }: RunContext): SavedTurn | undefined {
    const open = signal.aborted ? undefined : this.openTurn
    return open ?? (this.#questions.isAnswered ? undefined : saved)
  }
}
