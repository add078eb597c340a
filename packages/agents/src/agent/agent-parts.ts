import { type DecisionLedger, FencedError } from '@fenced/core'
import { AskedHumanInput } from '../human-input/asked-human-input.ts'
import type { HumanInput } from '../human-input/human-input.ts'
import { ReadlineHumanInput } from '../human-input/readline-human-input.ts'
import type { Message } from '../message/message.ts'
import { withNames } from '../message/sent-and-received.ts'
import { endsWithTermination } from '../message/written-text.ts'
import type { AskingAgent } from '../model/model-client.ts'
import { type AnyAgentTool, isCallable, namedTools } from '../tool/agent-tool.ts'
import type { ToolUser } from '../tool/answer-with-tools.ts'
import type { Agent, NestedChat } from './agent.ts'
import type { AgentSettings, ConversableAgentOptions } from './agent-options.ts'
import type { ReplyChat } from './chat-context.ts'
import { type Conversation, Conversations, notAnAgent } from './conversations.ts'
import { type AskedExecutor, ModelAgentParts } from './model-agent-parts.ts'
import { HookList, ReplyFunctions } from './registered-functions.ts'

export interface CodeExecution extends AskedExecutor {
  readonly lastNMessages: number | 'auto'
  readonly maxResultLength: number
  readonly runBeforeTermination: boolean
}

/** The two agents of a conversation. */
export interface ConversationPair {
  readonly sender: AgentParts
  readonly recipient: AgentParts
}

/** The private parts of an agent, for the modules that make it act. */
export class AgentParts extends ModelAgentParts {
  /** The agent, as callers see it. */
  readonly agent: Agent
  readonly name: string
  readonly conversations: Conversations
  readonly hooks = new HookList()
  readonly replies = new ReplyFunctions()
  readonly nestedChats: NestedChat[] = []
  /** Tools that its model can ask for. */
  readonly modelTools = new Map<string, AnyAgentTool>()
  /** Tools that it calls for others. */
  readonly executableTools = new Map<string, AnyAgentTool>()
  /** Tools that it calls for its own model. */
  readonly ownTools: ReadonlySet<string>
  readonly settings: AgentSettings
  /** The options passed to the constructor, without defaults. */
  readonly given: ConversableAgentOptions
  readonly codeExecution: CodeExecution | undefined
  systemMessage: string
  #humanInput: HumanInput | undefined

  constructor(agent: Agent, settings: AgentSettings, given: ConversableAgentOptions) {
    super(settings)
    const { codeExecutionConfig, maxConsecutiveAutoReply } = settings
    this.agent = agent
    this.name = settings.name
    this.settings = settings
    this.given = given
    this.systemMessage = settings.systemMessage
    this.#humanInput = settings.humanInput
    refuseTwoMessages(settings)
    const tools = namedTools(settings.tools)
    for (const tool of tools) this.modelTools.set(tool.name, tool)
    for (const tool of tools.filter(isCallable)) this.executableTools.set(tool.name, tool)
    this.ownTools = new Set(this.executableTools.keys())
    this.conversations = new Conversations(maxConsecutiveAutoReply)
    if (codeExecutionConfig !== false)
      this.codeExecution = { ...codeExecutionConfig, ...this.askedExecutor(codeExecutionConfig.executor) }
    all.set(agent, this)
  }

  /** Opens the terminal only for a question. */
  get humanInput(): HumanInput {
    this.#humanInput ??= this.asker.has('message')
      ? new AskedHumanInput(this.asker, this.codeExecution?.executor)
      : new ReadlineHumanInput()
    return this.#humanInput
  }

  /** The ledgers that a run needs whose questions wait. */
  get ledgers(): readonly DecisionLedger[] {
    return this.codeExecution === undefined && this.executableTools.size === 0 ? [] : [this.ledger]
  }

  /** Its tools, and what their calls need. */
  get caller(): ToolUser['caller'] {
    const { executableTools: byName, askTool, ledger, settings } = this
    return { byName, askTool, ledger, sandbox: settings.sandbox }
  }

  /** Asks its model in a conversation: the model's tokens become events, and its usage counts for both. */
  asking(chat: ReplyChat): AskingAgent {
    const addUsage: AskingAgent['addUsage'] = (modelId, used) => {
      this.usage.add(modelId, used)
      chat.addUsage(modelId, used)
    }
    return { agent: this.name, run: chat, addUsage }
  }

  /** Selects the messages of a conversation that its model reads. Messages of a team have names. */
  async messagesForModel(
    messages: readonly Message[],
    { chat, conversation }: { readonly chat: ReplyChat; readonly conversation: Conversation },
  ): Promise<readonly Message[]> {
    const { modelContext: context, name } = this
    const selected = await conversation.omission.select({ context, messages }, name, chat)
    return conversation.isOfTeam ? withNames(selected, name) : selected
  }

  async isTermination(message: Message): Promise<boolean> {
    const { isTermination } = this.settings
    return isTermination === undefined ? endsWithTermination(message) : isTermination(message)
  }
}

/** `humanInput` replaces a function or queue that answers every kind of question, but not a function for messages. */
function refuseTwoMessages({ ask, humanInput }: AgentSettings): void {
  if (humanInput === undefined || typeof Object(ask).message !== 'function') return
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: '`ask` and `humanInput` both answer questions of the kind `message`. Pass only one of them.',
    data: { option: 'humanInput', kind: 'message' },
  })
}

const all = new WeakMap<Agent, AgentParts>()

/** The parts of an agent that a caller passed. @throws FencedError `INVALID_OPTIONS` for any other value. */
export function partsOf(agent: Agent): AgentParts {
  return all.get(agent) ?? notAnAgent(agent)
}
