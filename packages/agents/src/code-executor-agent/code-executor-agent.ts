import type {
  CodeApprovalRequest,
  CodeExecutor,
  ComponentConfig,
  DecisionLedger,
  RememberedApprovals,
  ToConfigOptions,
  ToolApprovalRequest,
} from '@fenced/core'
import { givenOptions } from '@fenced/core/driver'
import { asksForApproval } from '@fenced/core/internal'
import {
  agentDescription,
  codeExecutorMessage,
  defaultSystemMessage,
  terminalDescription,
} from '../agent/code-instructions.ts'
import { type AskedExecutor, ModelAgentParts } from '../agent/model-agent-parts.ts'
import type { OpenQuestion } from '../event.ts'
import { contentWith } from '../message/made-parts.ts'
import { createMessage, metadataOf, outputMessage } from '../message/message.ts'
import { userMessage } from '../message/sent-and-received.ts'
import type { ModelClient } from '../model/model-client.ts'
import { modelAgentConfig } from '../model/model-reference.ts'
import { UnboundedChatCompletionContext } from '../model-context/contexts.ts'
import { OmissionNotice } from '../model-context/default-context.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import { AnsweringAgent, type Turn } from '../task/answering-agent.ts'
import type { Answer } from '../task/within-run.ts'
import { namedTools } from '../tool/agent-tool.ts'
import type { ToolUser } from '../tool/answer-with-tools.ts'
import type { UsageSummary } from '../usage.ts'
import { attemptLoop, type Solution } from './attempt-loop.ts'
import {
  type AgentMemory,
  agentMemorySchema,
  type CodeExecutorAgentOptions,
  type CodeExecutorAgentSettings,
  readOptions,
} from './options.ts'
import { runGiven } from './run-given.ts'
import { ModelCalls, savedProgram, type TurnParts } from './turn.ts'

/**
 * Writes code, runs it, and reports the outcome. Without a model, it runs the code in the messages that it receives. It answers
 * one call at a time.
 *
 * @throws FencedError `INVALID_OPTIONS`; `UNKNOWN_EXECUTOR` for an unregistered executor name.
 */
export class CodeExecutorAgent extends AnsweringAgent<AgentMemory> implements AsyncDisposable {
  static readonly provider: string = 'CodeExecutorAgent'
  /**
   * Default `systemMessage`. The model also reads a description of the executor: languages, whether variables persist, network
   * access, and packages.
   */
  static readonly defaultSystemMessage: string = defaultSystemMessage

  readonly name: string
  readonly description: string
  /** Holds the conversation, and selects the messages that the model reads. */
  readonly modelContext: ModelContext
  readonly #settings: CodeExecutorAgentSettings
  readonly #given: Readonly<Record<string, unknown>>
  readonly #asked: AskedExecutor
  readonly #parts: ModelAgentParts
  readonly #tools: ToolUser['caller']
  readonly #omission = new OmissionNotice()

  constructor(options: CodeExecutorAgentOptions) {
    super(
      { type: 'CodeExecutorAgent', version: 6, memory: agentMemorySchema },
      'It holds only one conversation. Wait for it, or use another agent.',
    )
    const settings = readOptions(options)
    const { model, modelContext, sandbox, tools } = settings
    this.#parts = new ModelAgentParts(settings)
    this.name = settings.name
    this.description = settings.description ?? (model === undefined ? terminalDescription : agentDescription)
    const isRunner = model === undefined && modelContext === undefined
    this.modelContext = isRunner ? new UnboundedChatCompletionContext() : this.#parts.modelContext
    this.#settings = settings
    this.#given = givenOptions(options, settings)
    this.#asked = this.#parts.askedExecutor(settings.executor)
    const { askTool, ledger } = this.#parts
    const byName = new Map(namedTools(tools).map((tool) => [tool.name, tool]))
    this.#tools = { byName, askTool, ledger, sandbox }
  }

  /** Executor that runs the agent's code. */
  get executor(): CodeExecutor {
    return this.#asked.executor
  }

  /** Usage of the agent's models in all answers. */
  get usage(): UsageSummary {
    return this.#parts.usage.summary()
  }

  /** Remembered answers to questions about its code. List them, or revoke them one by one. */
  get rememberedApprovals(): RememberedApprovals {
    return this.#parts.rememberedApprovals
  }

  protected get ledgers(): readonly DecisionLedger[] {
    return [this.#parts.ledger]
  }

  protected ledgerOf(): DecisionLedger {
    return this.#parts.ledger
  }

  protected async memory(): Promise<AgentMemory> {
    return { context: await this.modelContext.saveState(), answers: this.#parts.rememberedApprovals.list() }
  }

  protected async remember(memory: AgentMemory | undefined): Promise<void> {
    this.#omission.clear()
    if (memory === undefined) {
      await this.modelContext.clear()
      this.#parts.rememberedApprovals.clear()
      return
    }
    await this.modelContext.loadState(memory.context)
    this.#parts.rememberedApprovals.load(memory.answers)
  }

  protected asksAgain({ request: { kind } }: OpenQuestion): boolean {
    return kind === 'code' ? asksForApproval(this.#asked.asking) : this.#parts.askTool !== undefined
  }

  /** The open question of this agent or of its loaded state; `undefined` if no question is open. */
  get pendingApproval(): CodeApprovalRequest | ToolApprovalRequest | undefined {
    const turn = this.waitingTurn
    if (turn?.areDenied !== false) return undefined
    return turn.questions.map(({ request }) => request).find((request) => 'question' in request)
  }

  /** Stops the executor that the agent created from a name. An executor passed as an object belongs to the caller. */
  async stop(): Promise<void> {
    if (this.#asked.isOwn) await this.#asked.executor.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /**
   * Returns the agent as data for `loadComponent`, without its messages. Its model is identified by its id. Its executor is
   * described in full, even if the caller passed it, and the loaded agent creates its own.
   *
   * @throws FencedError `NOT_CONFIGURABLE` for values that are not data, such as `ask`, unless they are in `omit`.
   */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    const current = { ...this.#given, executor: this.#asked.executor }
    return modelAgentConfig(this, { options: current, settings: this.#settings }, options)
  }

  protected async answer(turn: Turn): Promise<Answer> {
    const solution: Solution & { readonly usage?: UsageSummary } =
      this.#parts.model === undefined
        ? await runGiven({ messages: turn.messages, ...this.#turnParts(turn) })
        : await this.#solve(this.#parts.model, turn)
    const { content, origin, pictures, stopReason, usage, isCut, endsRun: stop } = solution
    const message = createMessage({
      role: 'assistant',
      source: this.name,
      origin,
      content: contentWith(content, pictures),
      ...metadataOf({ usage, isCut, stop }),
    })
    return { message, ...(stopReason === undefined ? {} : { stopReason }) }
  }

  #turnParts({ run, saved, programs }: Turn): TurnParts {
    const { asking: executor, questions } = this.#asked.forRun(run.given)
    const context = this.modelContext
    return {
      ...{ settings: this.#settings, executor, questions, context, run, programs },
      saved: savedProgram(saved),
    }
  }

  #defaultMessage(): string {
    const { capabilities } = this.#asked.executor
    const { supportedLanguages: languages = capabilities.languages } = this.#settings
    return codeExecutorMessage({ ...capabilities, languages })
  }

  async #solve(client: ModelClient, turn: Turn): Promise<Solution & { readonly usage: UsageSummary }> {
    const { messages, run } = turn
    for (const { message } of await this.#asked.undone.report(this.name, run))
      await this.modelContext.add(outputMessage(this.name, message))
    for (const message of messages) await this.modelContext.add(userMessage(message))
    // What it could not answer any more is part of the conversation.
    run.signal.throwIfAborted()
    const { systemMessage = this.#defaultMessage() } = this.#settings
    const parts = this.#turnParts(turn)
    const modelCalls = new ModelCalls({
      ...parts,
      ...{ model: client, instructions: systemMessage ?? undefined, caller: this.#tools },
      savedTurn: turn.saved,
      omission: this.#omission,
    })
    try {
      const solution = await attemptLoop({ ...parts, modelCalls })
      return { ...solution, usage: modelCalls.usage.summary() }
    } finally {
      this.#parts.usage.addSummary(modelCalls.usage.summary())
    }
  }
}
