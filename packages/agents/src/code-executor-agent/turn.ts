import { type AskOptions, askingExecutor, type CodeApprovalRequest, type CodeExecutor } from '@fenced/core'
import type { ModelMessage } from 'ai'
import { createMessage } from '../message/message.ts'
import { withNames } from '../message/sent-and-received.ts'
import { type AskingAgent, type ModelClient, withModelEvents } from '../model/model-client.ts'
import type { ModelReply } from '../model/model-request.ts'
import type { OmissionNotice } from '../model-context/default-context.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import { resultText } from '../running/result-text.ts'
import { type Program, type RanProgram, runProgram } from '../running/run-program.ts'
import type { RunContext } from '../running/run-with-events.ts'
import { deniedOnLoading, type SavedTurn, savedOf } from '../running/saved-questions.ts'
import { repetitionsIn, type TeamPrograms } from '../running/team-programs.ts'
import { answerWithTools, type ToolUser } from '../tool/answer-with-tools.ts'
import { UsageMeter } from '../usage.ts'
import type { CodeExecutorAgentSettings } from './options.ts'
import { type RetryDecision, retryDecisionSchema } from './retry.ts'

/** A program that was about to run when the agent was saved. */
export interface SavedProgram {
  readonly question: CodeApprovalRequest
  readonly isDenied: boolean
}

export function savedProgram(saved: SavedTurn | undefined): SavedProgram | undefined {
  const [question] = savedOf(saved, 'code')
  return question && { question, isDenied: saved?.areDenied === true }
}

/** What a CodeExecutorAgent works with while it answers. */
export interface TurnParts {
  readonly settings: CodeExecutorAgentSettings
  /** Calls the approver, if there is one, before running code. */
  readonly executor: CodeExecutor
  /** What its programs ask meanwhile. */
  readonly questions: AskOptions
  readonly context: ModelContext
  readonly run: RunContext
  /** The programs that members of its team have run. */
  readonly programs: TeamPrograms | undefined
  /** The program that was about to run when the agent was saved. */
  readonly saved?: SavedProgram | undefined
}

/** A program of a turn. */
export interface TurnProgram extends Omit<Program, 'about'>, Pick<TurnParts, 'saved'> {
  /** What was written around the code. */
  readonly text: string
  readonly retryAttempt: number
}

/** Runs a program. A program that was denied when the state was loaded does not run: its denial is shown as a question of this run. */
export async function runTurnProgram(
  { blocks, withheld, text: context, retryAttempt, saved }: TurnProgram,
  { settings, executor, questions, run, programs }: TurnParts,
): Promise<RanProgram> {
  const { name: agent, maxResultLength, pictures } = settings
  const isDenied = saved?.isDenied === true
  const about = { context, retryAttempt, saved: isDenied ? undefined : saved?.question }
  return await runProgram(
    { blocks, withheld, about },
    {
      ...{ agent, run, questions, pictures },
      executor: isDenied ? askingExecutor(executor, { code: deny }, { agent }) : executor,
      describe: (result) => resultText(result, maxResultLength),
      repetitions: repetitionsIn(programs),
    },
  )
}

const deny = () => ({ decision: 'deny', reason: deniedOnLoading }) as const

interface ModelCallsParts extends TurnParts {
  readonly model: ModelClient
  readonly instructions: string | undefined
  /** Its tools, and what their calls need. */
  readonly caller: ToolUser['caller']
  /** The turn that waited for answers when the agent was saved. */
  readonly savedTurn?: SavedTurn | undefined
  readonly omission: OmissionNotice
}

/** The model of an agent while it answers once: what it says becomes events, and all that it uses is counted. */
export class ModelCalls {
  readonly usage = new UsageMeter()
  readonly #parts: ModelCallsParts
  readonly #asking: AskingAgent
  #saved: SavedTurn | undefined

  constructor(parts: ModelCallsParts) {
    const { settings, run, savedTurn } = parts
    this.#parts = parts
    this.#asking = { agent: settings.name, run, addUsage: (modelId, usage) => this.usage.add(modelId, usage) }
    this.#saved = savedTurn
  }

  /** Asks for an answer, which becomes part of the conversation; a `question` for it does not. */
  async answer(question?: string): Promise<ModelReply> {
    const { context, model, caller, settings } = this.#parts
    const saved = this.#saved
    this.#saved = undefined
    const reply = await answerWithTools(
      {
        ...{ asking: this.#asking, model, caller, maxToolIterations: settings.maxToolIterations },
        request: { ...this.#request, tools: Object.fromEntries(caller.byName) },
        saved,
      },
      { messages: () => this.#messages(question), add: (message) => context.add(message) },
    )
    const { text, content } = reply
    const source = settings.name
    if (text !== '') await context.add(createMessage({ role: 'assistant', source, origin: 'model', content }))
    return reply
  }

  /** Asks what is to be done about a failure. The question and the answer are no part of the conversation. */
  async decide(question: string): Promise<RetryDecision> {
    const schema = { schema: retryDecisionSchema, schemaName: 'retry_decision' }
    const request = { ...this.#request, messages: await this.#messages(question), ...schema }
    const { model } = this.#parts
    return (await withModelEvents(this.#asking, (options) => model.askObject(request, options))).object
  }

  get #request() {
    const { instructions, settings } = this.#parts
    return { instructions, pictures: settings.pictures !== undefined }
  }

  async #messages(question: string | undefined): Promise<readonly ModelMessage[]> {
    const { context, omission, run } = this.#parts
    const selected = await context.messages()
    const { messages: all } = await context.saveState()
    await omission.report({ all, selected }, this.#asking.agent, run)
    const messages = withNames(selected, this.#asking.agent)
    return question === undefined ? messages : [...messages, { role: 'user', content: question }]
  }
}
