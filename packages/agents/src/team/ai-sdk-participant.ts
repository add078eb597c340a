import { type DecisionLedger, FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import type { ModelMessage } from 'ai'
import { ModelAgentParts } from '../agent/model-agent-parts.ts'
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
import { OmissionNotice } from '../model-context/default-context.ts'
import { isSuspension } from '../running/questions.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { deniedOnLoading, type SavedTurn } from '../running/saved-questions.ts'
import { AnsweringAgent, type Turn } from '../task/answering-agent.ts'
import type { Answer } from '../task/within-run.ts'
import type { AskTool } from '../tool/ask-tool.ts'
import { calledTooOften } from '../tool/call-tool.ts'
import { UsageMeter } from '../usage.ts'
import {
  type AiSdkAgent,
  AiSdkEvents,
  type AiSdkParticipantOptions,
  type ApprovalPart,
  checkedSchema,
  isWaiting,
} from './ai-sdk-agent.ts'
import { AiSdkApprovals } from './ai-sdk-approvals.ts'
import { inOneTeam } from './conversable-participant.ts'

/** An answer with calls that wait for a decision. */
const unfinishedSchema = z.lazy(() =>
  z.object({
    said: z.array(z.custom<ModelMessage>((value) => typeof Object(value).role === 'string')),
    approvals: z.array(z.custom<ApprovalPart>((value) => typeof Object(value).approvalId === 'string')),
    text: z.string(),
  }),
)

type UnfinishedAnswer = z.output<typeof unfinishedSchema>

interface ModelAnswer extends UnfinishedAnswer {
  readonly cutModel?: string | undefined
}

const memorySchema = z.lazy(() =>
  z.strictObject({
    messages: z.array(messageSchema),
    waiting: unfinishedSchema.exactOptional(),
  }),
)

type Memory = z.output<typeof memorySchema>

/** See `asChatAgent`. */
export class AiSdkParticipant extends AnsweringAgent<Memory> {
  readonly name: string
  readonly description: string
  readonly #agent: AiSdkAgent
  readonly #options: AiSdkParticipantOptions
  readonly #maxToolIterations: number
  readonly #parts: ModelAgentParts
  readonly #omission = new OmissionNotice()
  /** Its messages, sent and received, with all parts. */
  #messages: Message[] = []
  /** How many of the messages no provider refuses: a call that was allowed and has no result comes after them. */
  #settledCount = 0
  /** The answer whose calls wait for a decision: it is no part of the messages, because no provider takes it so. */
  #waiting: UnfinishedAnswer | undefined

  /** @throws FencedError `INVALID_OPTIONS` without a name. */
  constructor(agent: AiSdkAgent, options: AiSdkParticipantOptions) {
    super({ type: 'AiSdkAgent', version: 4, memory: memorySchema }, inOneTeam)
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
    const settings = parseOptions(checkedSchema, options, 'asChatAgent')
    this.#maxToolIterations = settings.maxToolIterations
    this.#parts = new ModelAgentParts({ ...settings, name })
  }

  protected get ledgers(): readonly DecisionLedger[] {
    return [this.#parts.ledger]
  }

  protected ledgerOf(): DecisionLedger {
    return this.#parts.ledger
  }

  protected memory(): Memory {
    return { messages: this.#messages, ...(this.#waiting === undefined ? {} : { waiting: this.#waiting }) }
  }

  protected remember({ messages, waiting }: Memory = { messages: [] }): void {
    this.#messages = [...messages]
    this.#omission.clear()
    this.#waiting = waiting
  }

  protected asksAgain(): boolean {
    return this.#parts.askTool !== undefined
  }

  protected async answer({ messages, run, saved }: Turn): Promise<Answer> {
    // Its unfinished answer does not know them.
    if (messages.length > 0) this.#waiting = undefined
    this.#messages.push(...messages.map(userMessage))
    return { message: await this.#answerRecorded(run, saved) }
  }

  async #answerRecorded(run: RunContext, saved: SavedTurn | undefined): Promise<Message> {
    const approvals = new AiSdkApprovals(this.name, { ledger: this.#parts.ledger, saved })
    this.#settledCount = this.#messages.length
    try {
      return await this.#answer(run, approvals, saved?.areDenied === true ? denyLoaded : this.#parts.askTool)
    } catch (error) {
      this.#messages.length = this.#settledCount
      if (!isSuspension(error)) this.#waiting = undefined
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
      const answered: ModelAnswer = this.#waiting ?? (await this.#ask(run, calls, usage))
      const { approvals, said, text, cutModel } = answered
      if (approvals.length > 0 && iterations < this.#maxToolIterations) {
        this.#waiting = answered
        const answers = await calls.answersTo(approvals, { run, askTool })
        this.#waiting = undefined
        this.#settledCount = this.#messages.length
        // A call that waits for an answer is not kept: no provider takes the conversation with it.
        this.#keep([...said, ...answers])
        askTool = this.#parts.askTool
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
  async #ask(run: RunContext, calls: AiSdkApprovals, usage: UsageMeter): Promise<ModelAnswer> {
    const { signal, emit } = run
    const messages = await this.#prompt(run)
    const answer = await this.#agent.stream({ messages, abortSignal: signal })
    const events = new AiSdkEvents(this.name, usage)
    for await (const part of answer.stream) {
      await calls.follow(part)
      for (const event of events.of(part)) await emit(event)
    }
    signal.throwIfAborted()
    const said = [...(await answer.responseMessages)]
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

  async #prompt(run: RunContext): Promise<ModelMessage[]> {
    const from = { context: this.#parts.modelContext, messages: this.#messages }
    const selected = await this.#omission.select(from, this.name, run)
    const isShown = () => this.#options.pictures === true
    return withNames(selected, this.name).map((message) =>
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
