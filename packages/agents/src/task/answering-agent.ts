import type { DecisionLedger } from '@fenced/core'
import type { Running } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { AgentEvent, AgentState, OpenQuestion, Response, TaskResult } from '../event.ts'
import type { Message } from '../message/message.ts'
import { givenAnswers, type QuestionAnswers } from '../running/questions.ts'
import { type RunContext, runWithEvents } from '../running/run-with-events.ts'
import {
  approvalRequired,
  type LoadStateOptions,
  loadOptions,
  recordDenials,
  type SavedTurn,
  savedTurnSchema,
} from '../running/saved-questions.ts'
import type { TeamPrograms } from '../running/team-programs.ts'
import { checkShared, readState } from './agent-state.ts'
import type { ChatAgent, OnMessagesOptions, RunTaskOptions } from './chat-agent.ts'
import { isAnswering, RunLock } from './run-lock.ts'
import {
  type ResumeOptions,
  respond,
  resumeTask,
  runAgentTask,
  taskOptions,
  turnOptions,
} from './run-task.ts'
import { type Answer, type AnswerWithin, answersWithin, runsWithin } from './within-run.ts'

/** What an agent answers to. */
export interface Turn {
  readonly messages: readonly Message[]
  readonly run: RunContext
  /** The turn that waited for answers when the agent was saved, and continues now. */
  readonly saved: SavedTurn | undefined
  readonly programs: TeamPrograms | undefined
}

/** The state of a kind of agent, beside its open questions. */
interface StateKind<Memory> {
  readonly type: string
  readonly version: number
  readonly memory: z.ZodType<Memory>
}

/** An agent that answers one call at a time, keeps a memory between them, and can be saved while a question is open. */
export abstract class AnsweringAgent<Memory> implements ChatAgent {
  abstract readonly name: string
  abstract readonly description: string
  readonly #kind: StateKind<Memory>
  readonly #lock: RunLock
  /** The turn whose questions have no answer yet. */
  #saved: SavedTurn | undefined

  static {
    const { run, onMessages } = AnsweringAgent.prototype
    answersWithin(onMessages, (agent: AnsweringAgent<unknown>, ...turn) => agent.#answerWithin(...turn))
    runsWithin(run, runAgentTask)
  }

  /** @param advice - what a caller can do while it answers, as a sentence. */
  constructor(kind: StateKind<Memory>, advice: string) {
    this.#kind = kind
    this.#lock = new RunLock(() => isAnswering(this.name, advice))
  }

  /** Answers within the lock. */
  protected abstract answer(turn: Turn): Promise<Answer>
  /** Returns the memory as plain data. */
  protected abstract memory(): Memory | Promise<Memory>
  /** Takes over a memory; without one, forgets everything. */
  protected abstract remember(memory: Memory | undefined): void | Promise<void>
  /** Whether the agent would ask an open question again. */
  protected abstract asksAgain(question: OpenQuestion, memory: Memory): boolean | Promise<boolean>
  /** The ledger of the agent that asked a question. */
  protected abstract ledgerOf(question: OpenQuestion): DecisionLedger
  /** The ledgers that a run needs whose questions wait. */
  protected abstract get ledgers(): readonly DecisionLedger[]

  run(task?: string | RunTaskOptions): Running<TaskResult, AgentEvent> {
    const { signal, ...options } = taskOptions(task)
    return runWithEvents((context) => runAgentTask(this, options, context), signal)
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
    options?: ResumeOptions,
  ): Running<TaskResult, AgentEvent> {
    return resumeTask(this, { state, answers }, options)
  }

  onMessages(messages: readonly Message[], options?: OnMessagesOptions): Running<Response, AgentEvent> {
    const { signal, ...turn } = turnOptions(options)
    return respond(this.name, (context) => this.#answerWithin(messages, turn, context), { signal })
  }

  async #answerWithin(...[messages, options, context]: Parameters<AnswerWithin>): Promise<Answer> {
    const { programs, ...questions } = options
    using _busy = this.#lock.take()
    if (questions.onQuestion === 'suspend') this.checkSuspendable()
    const run = this.#lock.following({ ...context, given: givenAnswers(questions) })
    const saved = this.#saved
    await this.#checkAskable(saved, run)
    this.#saved = undefined
    try {
      return await this.answer({ messages, run, saved, programs })
    } catch (error) {
      this.#saved = this.#lock.unanswered(saved, run)
      throw error
    }
  }

  /** @throws FencedError `LEDGER_NOT_SHARED` if no other process could read the answers to questions that wait. */
  checkSuspendable(): void {
    checkShared(this.name, this.ledgers)
  }

  async reset(): Promise<void> {
    using _busy = this.#lock.take()
    await this.remember(undefined)
    this.#saved = undefined
  }

  async saveState(): Promise<AgentState> {
    using _busy = this.#lock.takeForReading()
    const { type, version } = this.#kind
    const turn = this.openTurn
    const memory = structuredClone(await this.memory())
    return { type, version, memory, ...(turn === undefined ? {} : { turn }) }
  }

  /** The turn that waits for answers, here or in the state that was loaded. */
  protected get openTurn(): SavedTurn | undefined {
    return this.#lock.open ?? structuredClone(this.#saved)
  }

  async loadState(state: AgentState, options?: LoadStateOptions): Promise<void> {
    using _busy = this.#lock.take()
    const { onQuestion } = loadOptions(options)
    const { type, version } = this.#kind
    const { memory, turn } = readState(
      z.strictObject({
        type: z.literal(type),
        version: z.literal(version),
        memory: this.#kind.memory,
        turn: savedTurnSchema.exactOptional(),
      }),
      state,
      type,
    )
    const saved = turn && { ...turn, areDenied: turn.areDenied || onQuestion === 'deny' }
    if (onQuestion === 'ask') await this.#checkAskable(saved, {}, memory)
    if (saved?.areDenied === true)
      for (const question of saved.questions) await recordDenials(this.ledgerOf(question), [question])
    await this.remember(memory)
    this.#saved = saved
  }

  /** @throws FencedError `APPROVAL_REQUIRED` for an open question that would not be asked. */
  async #checkAskable(
    saved: SavedTurn | undefined,
    { given }: Pick<RunContext, 'given'>,
    memory?: Memory,
  ): Promise<void> {
    if (saved === undefined || saved.areDenied || given !== undefined) return
    const remembered = memory ?? (await this.memory())
    for (const question of saved.questions)
      if (!(await this.asksAgain(question, remembered))) throw approvalRequired(question.agent, question)
  }
}
