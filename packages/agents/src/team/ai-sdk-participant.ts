import { DecisionLedger, FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { askerOf, type Running } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { ModelMessage } from 'ai'
import type { AgentEvent, Response, TaskResult } from '../event.ts'
import {
  createMessage,
  enveloped,
  type Message,
  metadataOf,
  modelMessage,
  outputMessage,
} from '../message/message.ts'
import { messageSchema, userMessage, withNames } from '../message/sent-and-received.ts'
import { cutAnswer } from '../model/cut-answer.ts'
import { contentOf, userParts } from '../model/to-model-messages.ts'
import type { RunContext } from '../running/run-with-events.ts'
import {
  type AgentState,
  type ChatAgent,
  type OnMessagesOptions,
  type RunTaskOptions,
  readState,
} from '../task/chat-agent.ts'
import { isAnswering, RunLock } from '../task/run-lock.ts'
import { respond, runAgentTask, turnOptions } from '../task/run-task.ts'
import {
  approvalRequired,
  deniedOnLoading,
  deniesQuestions,
  type LoadStateOptions,
  recordDenials,
  type SavedQuestions,
  savedFields,
  savedQuestionsShape,
} from '../task/saved-questions.ts'
import { type AskTool, toolQuestions } from '../tool/ask-tool.ts'
import { calledTooOften } from '../tool/call-tool.ts'
import { UsageMeter } from '../usage.ts'
import { type AiSdkAgent, type AiSdkParticipantOptions, checkedSchema } from './ai-sdk-agent.ts'
import { AiSdkApprovals } from './ai-sdk-approvals.ts'
import { AiSdkEvents, isWaiting } from './ai-sdk-events.ts'
import { inOneTeam } from './conversable-participant.ts'

const stateSchema = z.strictObject({
  type: z.literal('AiSdkAgent'),
  version: z.literal(3),
  messages: z.array(messageSchema),
  ...savedQuestionsShape,
})

/** See `asChatAgent`. */
export class AiSdkParticipant implements ChatAgent {
  readonly name: string
  readonly description: string
  readonly #agent: AiSdkAgent
  readonly #options: AiSdkParticipantOptions
  readonly #maxToolIterations: number
  readonly #askTool: AskTool | undefined
  readonly #ledger: DecisionLedger
  readonly #answering = new RunLock(() => isAnswering(this.name, inOneTeam))
  /** Its messages, sent and received, with all parts. */
  #messages: Message[] = []
  /** How many of the messages no provider refuses: a call that was allowed and has no result comes after them. */
  #settledCount = 0
  #saved: SavedQuestions | undefined

  /** @throws FencedError `INVALID_OPTIONS` without a name. */
  constructor(agent: AiSdkAgent, options: AiSdkParticipantOptions) {
    const { name = agent.id, description = 'An assistant that solves tasks with its tools and with words.' } =
      options
    if (name === undefined || name === '')
      throw new FencedError({
        code: 'INVALID_OPTIONS',
        message:
          'An AI SDK agent needs a name in a team. Give the agent an `id`, or pass asChatAgent a `name`.',
        data: { option: 'name' },
      })
    this.name = name
    this.description = description
    this.#agent = agent
    this.#options = options
    const { maxToolIterations, ledger } = parseOptions(checkedSchema, options, 'asChatAgent')
    this.#maxToolIterations = maxToolIterations
    this.#askTool = toolQuestions(askerOf(options))
    this.#ledger = ledger ?? new DecisionLedger()
  }

  run(task?: string | RunTaskOptions): Running<TaskResult, AgentEvent> {
    return runAgentTask(this, task)
  }

  onMessages(messages: readonly Message[], options?: OnMessagesOptions): Running<Response, AgentEvent> {
    const { signal } = turnOptions(options)
    return respond(
      this.name,
      async (context) => {
        using _busy = this.#answering.take()
        this.#messages.push(...messages.map(userMessage))
        const saved = this.#saved
        this.#saved = undefined
        try {
          return { message: await this.#answerRecorded(this.#answering.following(context), saved) }
        } catch (error) {
          this.#saved = this.#answering.unanswered(saved, context)
          throw error
        }
      },
      signal,
    )
  }

  async reset(): Promise<void> {
    using _busy = this.#answering.take()
    this.#messages = []
    this.#saved = undefined
  }

  /** Also while a question is open: the unfinished answer is not part of the state and is requested again. */
  async saveState(): Promise<AgentState> {
    using _busy = this.#answering.takeForReading()
    const saved = savedFields(this.#answering.open ?? this.#saved)
    return { type: 'AiSdkAgent', version: 3, messages: structuredClone(this.#messages), ...saved }
  }

  async loadState(state: AgentState, options?: LoadStateOptions): Promise<void> {
    using _busy = this.#answering.take()
    const denies = deniesQuestions(options)
    const { messages, questions = [], areDenied = denies } = readState(stateSchema, state, this.name)
    const [question] = questions
    if (question !== undefined && !areDenied && this.#askTool === undefined)
      throw approvalRequired(this.name, question)
    if (areDenied) await recordDenials(this.#ledger, questions)
    this.#messages = messages
    this.#saved = question && { questions, areDenied }
  }

  async #answerRecorded(run: RunContext, saved: SavedQuestions | undefined): Promise<Message> {
    const approvals = new AiSdkApprovals(this.name, { ledger: this.#ledger, saved })
    this.#settledCount = this.#messages.length
    try {
      return await this.#answer(run, approvals, saved?.areDenied === true ? denyLoaded : this.#askTool)
    } catch (error) {
      this.#messages.length = this.#settledCount
      throw error
    } finally {
      await approvals.close()
    }
  }

  /** Asks until no call waits for an approval, or until that has happened too often. */
  async #answer(run: RunContext, calls: AiSdkApprovals, askFirst: AskTool | undefined): Promise<Message> {
    const usage = new UsageMeter()
    let askTool = askFirst
    let joinedWith: ((continuation: string) => string) | undefined
    for (let iterations = 0; ; iterations++) {
      const { approvals, said, text, cutModel } = await this.#ask(run, calls, usage)
      if (approvals.length > 0 && iterations < this.#maxToolIterations) {
        const answers = await calls.answersTo(approvals, { run, askTool })
        this.#settledCount = this.#messages.length
        // A call that waits for an answer is not kept: no provider takes the conversation with it.
        this.#keep([...said, ...answers])
        askTool = this.#askTool
        continue
      }
      const isTooMuch = approvals.length > 0
      if (!isTooMuch && cutModel !== undefined && joinedWith === undefined) {
        joinedWith = await this.#continue({ said, text, cutModel }, run)
        continue
      }
      const last = isTooMuch ? `${text}\n\n${calledTooOften(iterations)}`.trim() : text
      const content = joinedWith?.(last) ?? last
      this.#keep(
        isTooMuch ? [...said.slice(0, said.findIndex(isWaiting)), { role: 'assistant', content }] : said,
      )
      return createMessage({
        ...{ role: 'assistant', source: this.name, origin: 'model', content },
        ...metadataOf({ usage: usage.summary(), isCut: cutModel !== undefined }),
      })
    }
  }

  /** One answer of the agent, with the calls that wait for an approval. */
  async #ask({ signal, emit }: RunContext, calls: AiSdkApprovals, usage: UsageMeter) {
    const answer = await this.#agent.stream({ messages: this.#prompt(), abortSignal: signal })
    const events = new AiSdkEvents(this.name, usage)
    for await (const part of answer.stream) {
      await calls.follow(part)
      for (const event of events.of(part)) await emit(event)
    }
    signal.throwIfAborted()
    const said: readonly ModelMessage[] = await answer.responseMessages
    return { approvals: events.approvals, cutModel: events.cutModel, said, text: await answer.text }
  }

  /** Lets the agent read that its answer was cut off. */
  async #continue(
    { said, text, cutModel }: CutText,
    run: RunContext,
  ): Promise<(continuation: string) => string> {
    const { notice, request, joinedWith } = cutAnswer(text, cutModel)
    await run.emit({ type: 'notice', agent: this.name, notice })
    this.#keep(said)
    this.#messages.push(outputMessage(this.name, request))
    return joinedWith
  }

  #keep(said: readonly ModelMessage[]): void {
    this.#messages.push(...said.map((message) => enveloped({ ...message, source: this.name })))
  }

  #prompt(): ModelMessage[] {
    const isShown = () => this.#options.pictures === true
    return withNames(this.#messages, this.name).map((message) =>
      message.role === 'user'
        ? { role: 'user', content: contentOf(userParts(message, isShown)) ?? '' }
        : modelMessage(message),
    )
  }
}

interface CutText {
  readonly said: readonly ModelMessage[]
  readonly text: string
  readonly cutModel: string
}

const denyLoaded: AskTool = async () => ({ decision: 'deny', reason: deniedOnLoading })
