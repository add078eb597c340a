import { type DecisionLedger, FencedError } from '@fenced/core'
import type { Running } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { AgentEvent, AgentState, OpenQuestion, Response, TaskResult } from '../event.ts'
import type { Message } from '../message/message.ts'
import { givenAnswers } from '../running/questions.ts'
import type { RunContext } from '../running/run-with-events.ts'
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
import type { ChatAgent, OnMessagesOptions } from './chat-agent.ts'
import { respond, runAgentTask, turnOptions } from './run-task.ts'
import { SuspendableRunner } from './suspendable-runner.ts'
import { type Answer, type AnswerWithin, answersWithin, type RunWithin } from './within-run.ts'

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
export abstract class AnsweringAgent<Memory> extends SuspendableRunner implements ChatAgent {
  readonly #kind: StateKind<Memory>
  readonly #advice: string
  /** The turn whose questions have no answer yet. */
  #saved: SavedTurn | undefined

  static {
    const { onMessages } = AnsweringAgent.prototype
    answersWithin(onMessages, (agent: AnsweringAgent<unknown>, ...turn) => agent.#answerWithin(...turn))
  }

  /** @param advice - what a caller can do while it answers, as a sentence. */
  constructor(kind: StateKind<Memory>, advice: string) {
    super()
    this.#kind = kind
    this.#advice = advice
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

  protected runWithin(...run: Parameters<RunWithin>): Promise<TaskResult> {
    return runAgentTask(this, ...run)
  }

  protected refusal(): FencedError {
    return new FencedError({
      code: 'AGENT_IS_ANSWERING',
      message: `Agent "${this.name}" is already answering. ${this.#advice}`,
      data: { agent: this.name },
    })
  }

  onMessages(messages: readonly Message[], options?: OnMessagesOptions): Running<Response, AgentEvent> {
    const { signal, ...turn } = turnOptions(options)
    return respond(this.name, (context) => this.#answerWithin(messages, turn, context), { signal })
  }

  async #answerWithin(...[messages, options, context]: Parameters<AnswerWithin>): Promise<Answer> {
    const { programs, ...questions } = options
    using _busy = this.begin()
    if (questions.onQuestion === 'suspend') this.checkSuspendable()
    const run = this.following({ ...context, given: givenAnswers(questions) })
    const saved = this.#saved
    await this.#checkAskable(saved, run)
    this.#saved = undefined
    try {
      return await this.answer({ messages, run, saved, programs })
    } catch (error) {
      this.#saved = this.unanswered(saved, run)
      throw error
    }
  }

  checkSuspendable(): void {
    checkShared(this.name, this.ledgers)
  }

  protected async forget(): Promise<void> {
    await this.remember(undefined)
    this.#saved = undefined
  }

  protected async save(): Promise<AgentState> {
    const { type, version } = this.#kind
    const turn = this.waitingTurn
    const memory = structuredClone(await this.memory())
    return { type, version, memory, ...(turn === undefined ? {} : { turn }) }
  }

  /** The turn that waits for answers, here or in the state that was loaded. */
  protected get waitingTurn(): SavedTurn | undefined {
    return this.openTurn ?? structuredClone(this.#saved)
  }

  protected async load(state: AgentState, options: LoadStateOptions | undefined): Promise<void> {
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
