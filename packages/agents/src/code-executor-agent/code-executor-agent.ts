import {
  type CodeApprovalRequest,
  type CodeExecutor,
  type ComponentConfig,
  DecisionLedger,
  RememberedApprovals,
  type ToConfigOptions,
  type ToolApprovalRequest,
} from '@fenced/core'
import { givenOptions } from '@fenced/core/driver'
import { askerOf, asksForApproval, type Running, toComponentConfig } from '@fenced/core/internal'
import { type AskedExecutor, askedExecutor } from '../agent/agent-options.ts'
import { providerOf } from '../component/component-kind.ts'
import type { AgentEvent, Response, TaskResult } from '../event.ts'
import { contentWith } from '../message/made-parts.ts'
import { createMessage, type Message, metadataOf } from '../message/message.ts'
import { userMessage } from '../message/sent-and-received.ts'
import { ModelClient } from '../model/model-client.ts'
import { modelReferences, modelSecrets } from '../model/model-reference.ts'
import { UnboundedChatCompletionContext } from '../model-context/message-windows.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import type { RunContext } from '../running/run-with-events.ts'
import type { TeamPrograms } from '../running/team-programs.ts'
import type { AgentState, ChatAgent, OnMessagesOptions, RunTaskOptions } from '../task/chat-agent.ts'
import { isAnswering, RunLock } from '../task/run-lock.ts'
import { type Answer, respond, runAgentTask, turnOptions } from '../task/run-task.ts'
import {
  type ApprovalQuestion,
  approvalRequired,
  deniesQuestions,
  type LoadStateOptions,
  recordDenials,
} from '../task/saved-questions.ts'
import { namedTools } from '../tool/agent-tool.ts'
import type { ToolUser } from '../tool/answer-with-tools.ts'
import { toolQuestions } from '../tool/ask-tool.ts'
import { UsageMeter, type UsageSummary } from '../usage.ts'
import { attemptLoop, type Solution } from './attempt-loop.ts'
import { ModelSession } from './model-session.ts'
import { type CodeExecutorAgentOptions, type CodeExecutorAgentSettings, readOptions } from './options.ts'
import {
  agentDescription,
  codeExecutorMessage,
  defaultSystemMessage,
  terminalDescription,
} from './prompts.ts'
import { runGiven } from './run-given.ts'
import type { TurnParts } from './run-program.ts'
import { type SavedQuestion, savedProgram, unfinishedCalls } from './saved-question.ts'
import { readAgentState } from './state.ts'

/**
 * Writes code, runs it, and reports the outcome. Without a model, it runs the code in the messages that it receives. It answers
 * one call at a time.
 *
 * @throws FencedError `INVALID_OPTIONS`; `UNKNOWN_EXECUTOR` for an unregistered executor name.
 */
export class CodeExecutorAgent implements ChatAgent, AsyncDisposable {
  static readonly provider: string = 'CodeExecutorAgent'
  /**
   * Default `systemMessage`. The model also reads a description of the executor: languages, whether variables persist, network
   * access, and packages.
   */
  static readonly defaultSystemMessage: string = defaultSystemMessage

  readonly name: string
  readonly description: string
  /** Selects the messages that the model reads. */
  readonly modelContext: ModelContext
  readonly #settings: CodeExecutorAgentSettings
  readonly #given: Readonly<Record<string, unknown>>
  readonly #asked: AskedExecutor
  readonly #client: ModelClient | undefined
  readonly #remembered = new RememberedApprovals()
  readonly #tools: ToolUser['caller']
  readonly #usage = new UsageMeter()
  readonly #answering = new RunLock(() =>
    isAnswering(this.name, 'It holds only one conversation. Wait for it, or use another agent.'),
  )
  /** What was asked when the agent was saved that this one continues, and which tools had answered. */
  #saved: SavedQuestion | undefined

  constructor(options: CodeExecutorAgentOptions) {
    const settings = readOptions(options)
    const { model, ledger = new DecisionLedger() } = settings
    const asker = askerOf(settings)
    this.name = settings.name
    this.description = settings.description ?? (model === undefined ? terminalDescription : agentDescription)
    this.modelContext = settings.modelContext ?? new UnboundedChatCompletionContext()
    this.#settings = settings
    this.#given = givenOptions(options, settings)
    this.#client = model && new ModelClient({ ...settings, model })
    const { ask, askTimeoutMs } = settings
    const questions = { ask, askTimeoutMs, agent: this.name, remembered: this.#remembered, ledger }
    this.#asked = askedExecutor(settings.executor, questions)
    this.#tools = {
      byName: new Map(namedTools(settings.tools).map((tool) => [tool.name, tool])),
      askTool: toolQuestions(asker),
      ledger,
      sandbox: settings.sandbox,
    }
  }

  /** Executor that runs the agent's code. */
  get executor(): CodeExecutor {
    return this.#asked.executor
  }

  /** Usage of the agent's models in all answers. */
  get usage(): UsageSummary {
    return this.#usage.summary()
  }

  /** Remembered answers to questions about its code. List them, or revoke them one by one. */
  get rememberedApprovals(): RememberedApprovals {
    return this.#remembered
  }

  /** Runs a task without a team. */
  run(task?: string | RunTaskOptions): Running<TaskResult, AgentEvent> {
    return runAgentTask(this, task)
  }

  /**
   * Answers messages: await the response, or iterate the events that lead to it.
   *
   * Rejects with the signal's reason when cancelled, and with a FencedError: `AGENT_IS_ANSWERING`, `APPROVAL_UNAVAILABLE` if the
   * approver cannot be reached, `MODEL_FAILED`, `MODEL_REFUSED`, `MODEL_GAVE_NO_OBJECT`.
   */
  onMessages(messages: readonly Message[], options?: OnMessagesOptions): Running<Response, AgentEvent> {
    const { signal, programs } = turnOptions(options)
    return respond(
      this.name,
      async (context) => {
        using _busy = this.#answering.take()
        return await this.#answer(messages, this.#answering.following(context), programs)
      },
      signal,
    )
  }

  /**
   * Forgets the conversation and the remembered answers. The executor's state is kept.
   *
   * @throws FencedError `AGENT_IS_ANSWERING`.
   */
  async reset(): Promise<void> {
    using _busy = this.#answering.take()
    await this.modelContext.clear()
    this.#remembered.clear()
    this.#saved = undefined
  }

  /**
   * Returns the conversation and the remembered answers, so that another process can continue.
   *
   * This also works while a question about code or a tool call is open, because the state contains the question. When an agent
   * that loaded the state runs without a task, it repeats the question and continues from there, so the answer can be given in
   * another process. A question about code keeps its id while it is open in the `ledger` of both agents. Otherwise, it gets a new
   * id and, unless the ledger has other information, states that the program may already have run. If the executor of the loading
   * agent has a different target or isolation, the agent asks a new question with a new id. The state also contains the results
   * of other tool calls in the same message. Unfinished calls are repeated, with their questions.
   *
   * @throws FencedError `AGENT_IS_ANSWERING`.
   */
  async saveState(): Promise<AgentState> {
    using _busy = this.#answering.takeForReading()
    const saved = structuredClone(this.#openQuestion ?? this.#saved)
    return {
      ...{ type: 'CodeExecutorAgent', version: 5 },
      context: await this.modelContext.saveState(),
      answers: this.#remembered.list(),
      ...(saved === undefined ? {} : { question: saved.question }),
      ...(saved?.isDenied === true ? { isDenied: true } : {}),
      toolResponses: [...(saved?.toolResponses ?? [])],
    }
  }

  get #openQuestion(): SavedQuestion | undefined {
    const { questions, toolResponses } = this.#answering
    const requests = questions.map(({ request }) => request)
    const question = requests.find((request) => 'question' in request)
    return question && { question, toolResponses, isDenied: false }
  }

  /** The open question of this agent or of its loaded state; `undefined` if no question is open. */
  get pendingApproval(): CodeApprovalRequest | ToolApprovalRequest | undefined {
    const saved = this.#openQuestion ?? this.#saved
    return saved?.isDenied === false ? structuredClone(saved.question) : undefined
  }

  /**
   * Continues from an agent's saved state. An open question in the state is repeated, or denied (`onQuestion: 'deny'`). If a tool
   * call is denied, the other calls in its message that have no result are denied too.
   *
   * @throws FencedError `INVALID_STATE`; `APPROVAL_REQUIRED` if a question about code or a tool call is open and the agent has no
   *   approver for it, which leaves the agent unchanged; `AGENT_IS_ANSWERING`.
   */
  async loadState(state: AgentState, options?: LoadStateOptions): Promise<void> {
    using _busy = this.#answering.take()
    const denies = deniesQuestions(options)
    const { context, answers, question, isDenied = denies, toolResponses } = readAgentState(state)
    const saved = question && structuredClone({ question, toolResponses, isDenied })
    if (saved?.isDenied === false && !this.#canAsk(saved.question))
      throw approvalRequired(this.name, { request: saved.question })
    if (saved?.isDenied === true) await recordDenials(this.#tools.ledger, [{ request: saved.question }])
    await this.modelContext.loadState(context)
    this.#remembered.load(answers)
    this.#saved = saved
  }

  #canAsk({ kind }: ApprovalQuestion): boolean {
    return kind === 'code' ? asksForApproval(this.#asked.asking) : this.#tools.askTool !== undefined
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
    return toComponentConfig(
      {
        provider: providerOf(this),
        options: {
          ...this.#given,
          executor: this.#asked.executor,
          model: modelReferences(this.#settings.model),
        },
        ...modelSecrets(this.#settings),
      },
      options,
    )
  }

  async #answer(
    messages: readonly Message[],
    run: RunContext,
    programs: TeamPrograms | undefined,
  ): Promise<Answer> {
    const saved = this.#saved
    this.#saved = undefined
    const turn = { messages, run, saved, programs }
    const solution = await this.#content(turn).catch((error: unknown) => {
      this.#saved = this.#unanswered(saved, run)
      throw error
    })
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

  /** After a failure: the question without an answer, to be asked again. A question of a cancelled run is withdrawn. */
  #unanswered(saved: SavedQuestion | undefined, { signal }: RunContext): SavedQuestion | undefined {
    const open = signal.aborted ? undefined : structuredClone(this.#openQuestion)
    return open ?? (this.#answering.isAnswered ? undefined : saved)
  }

  async #content(turn: Turn): Promise<Solution & { readonly usage?: UsageSummary }> {
    if (this.#client !== undefined) return await this.#solve(this.#client, turn)
    return await runGiven({ messages: turn.messages, ...this.#parts(turn) })
  }

  #parts({ run, saved, programs }: Turn): TurnParts {
    return {
      settings: this.#settings,
      executor: this.#asked.asking,
      questions: this.#asked.questions,
      context: this.modelContext,
      run,
      programs,
      saved: savedProgram(saved),
    }
  }

  #defaultMessage(): string {
    const { capabilities } = this.#asked.executor
    const { supportedLanguages: languages = capabilities.languages } = this.#settings
    return codeExecutorMessage({ ...capabilities, languages })
  }

  async #solve(client: ModelClient, turn: Turn): Promise<Solution & { readonly usage: UsageSummary }> {
    const { messages, run, saved } = turn
    for (const message of messages) await this.modelContext.add(userMessage(message))
    // What it could not answer any more is part of the conversation.
    run.signal.throwIfAborted()
    const { systemMessage = this.#defaultMessage() } = this.#settings
    const parts = this.#parts(turn)
    const session = new ModelSession({
      ...parts,
      ...{ model: client, instructions: systemMessage ?? undefined, caller: this.#tools },
      unfinished: unfinishedCalls(saved),
    })
    try {
      const solution = await attemptLoop({ ...parts, session })
      return { ...solution, usage: session.usage.summary() }
    } finally {
      this.#usage.addSummary(session.usage.summary())
    }
  }
}

interface Turn {
  readonly messages: readonly Message[]
  readonly run: RunContext
  readonly saved: SavedQuestion | undefined
  readonly programs: TeamPrograms | undefined
}
