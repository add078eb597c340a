import type { CodeExecutor, ComponentConfig, RememberedApprovals, ToConfigOptions } from '@fenced/core'
import { knownOptions, traced } from '@fenced/core/internal'
import type {
  Agent,
  AgentHooks,
  ChatQueueEntry,
  GenerateReplyOptions,
  HookName,
  InitiateChatOptions,
  InitiateChatsOptions,
  NestedChat,
  RegisterReplyOptions,
  ReplyFunction,
  ReplyTrigger,
  ResumeChatOptions,
  SendOptions,
} from '../agent/agent.ts'
import { type ConversableAgentOptions, readAgentOptions } from '../agent/agent-options.ts'
import type { ConversationPair } from '../agent/agent-parts.ts'
import { AgentParts, partsOf } from '../agent/agent-parts.ts'
import { type Chat, startChat } from '../agent/chat-context.ts'
import { checkTrigger } from '../agent/registered-functions.ts'
import { initiateChats, nestedChatsReply } from '../chat/chat-queue.ts'
import { checkConversation, claimPair, runChat } from '../chat/initiate-chat.ts'
import { resumeChat } from '../chat/resume-chat.ts'
import { turnLoop } from '../chat/turn-loop.ts'
import type { AgentState, ChatResult } from '../event.ts'
import { enveloped, type Message, type MessageInput } from '../message/message.ts'
import type { ToolCall, ToolResponse } from '../message/tool-parts.ts'
import { defaultReplyFunctions, produceReply } from '../reply/produce-reply.ts'
import type { QuestionAnswers } from '../running/questions.ts'
import { letOthersRun } from '../running/run-with-events.ts'
import { type AgentTool, addTool } from '../tool/agent-tool.ts'
import { callTool } from '../tool/call-tool.ts'
import type { UsageSummary } from '../usage.ts'
import { agentConfig } from './agent-config.ts'

/**
 * A participant in conversations: a model, a person, a code executor, a tool caller, or a combination. It replies with the first
 * of these that applies: the end of the conversation or a person's reply, tool results, the result of code, the model's answer.
 * An agent can chat with several partners at once, in one conversation each.
 *
 * @throws FencedError `INVALID_OPTIONS`; `UNKNOWN_EXECUTOR` for an unregistered executor name.
 */
export class ConversableAgent implements Agent {
  /** Name used by `loadComponent`. A subclass that is loaded from data needs its own name. */
  static readonly provider: string = 'ConversableAgent'

  readonly name: string
  description: string
  readonly #parts: AgentParts

  constructor(options: ConversableAgentOptions) {
    const settings = readAgentOptions(options, new.target.name)
    this.name = settings.name
    this.description = settings.description ?? settings.systemMessage
    this.#parts = new AgentParts(this, settings, options)
    // The last function added is called first.
    for (const reply of defaultReplyFunctions.toReversed()) this.#parts.replies.add(() => true, reply)
  }

  get systemMessage(): string {
    return this.#parts.systemMessage
  }

  updateSystemMessage(systemMessage: string): void {
    this.#parts.systemMessage = systemMessage
  }

  get executor(): CodeExecutor | undefined {
    return this.#parts.codeExecution?.executor
  }

  get usage(): UsageSummary {
    return this.#parts.usage.summary()
  }

  get rememberedApprovals(): RememberedApprovals {
    return this.#parts.rememberedApprovals
  }

  initiateChat(recipient: Agent, options: InitiateChatOptions = {}): Chat<ChatResult> {
    return startChat({
      of: 'initiateChat',
      options,
      run: async (chat, conversation) => {
        const pair = this.#with(recipient)
        checkConversation(pair, conversation)
        return await runChat(pair, conversation, { chat })
      },
    })
  }

  resumeChat(
    recipient: Agent,
    state: AgentState,
    answers: QuestionAnswers,
    options?: ResumeChatOptions,
  ): Chat<ChatResult> {
    return resumeChat({ sender: this, recipient }, { state, answers }, options)
  }

  initiateChats(queue: readonly ChatQueueEntry[], options?: InitiateChatsOptions): Chat<ChatResult[]> {
    const own = (entry: ChatQueueEntry) => ({ ...entry, sender: entry?.sender ?? this })
    return initiateChats(Array.isArray(queue) ? queue.map(own) : queue, options)
  }

  send(message: MessageInput, recipient: Agent, options: SendOptions = {}): Chat<void> {
    return startChat({
      of: 'send',
      options,
      names: { requestReply: true },
      run: async (chat, { requestReply }) => {
        const pair = this.#with(recipient)
        using _pair = claimPair(pair)
        await turnLoop({ initiator: pair.sender, recipient: pair.recipient, message, requestReply, chat })
      },
    })
  }

  generateReply(options: GenerateReplyOptions): Chat<Message | null> {
    return startChat({
      of: 'generateReply',
      isKept: false,
      options,
      names: { messages: true, sender: true, exclude: true },
      run: async (chat, { messages, sender, exclude }) => {
        await letOthersRun()
        chat.signal.throwIfAborted()
        const parts = sender && partsOf(sender)
        const heard = sender && this.#parts.conversations.find(sender)?.messages
        const given = messages?.map(enveloped) ?? heard ?? []
        const request = { messages: given, sender: parts, exclude, chat }
        const { message } = await traced('fenced:agent-turn', { agent: this.name }, () =>
          produceReply(this.#parts, request),
        )
        chat.signal.throwIfAborted()
        return message
      },
    })
  }

  registerReply(trigger: ReplyTrigger, reply: ReplyFunction, options?: RegisterReplyOptions): void {
    checkTrigger(trigger)
    this.#parts.replies.add(trigger, reply, options)
  }

  replaceReplyFunction(old: ReplyFunction, reply: ReplyFunction): void {
    this.#parts.replies.replace(old, reply, this)
  }

  registerNestedChats(
    nested: readonly NestedChat[],
    options: { readonly trigger: ReplyTrigger; readonly position?: number },
  ): void {
    const names = { trigger: true, position: true } as const
    const { trigger, position = 1 } = knownOptions(options, names, 'registerNestedChats()')
    this.registerReply(trigger, nestedChatsReply(nested), { position })
    this.#parts.nestedChats.push(...nested)
  }

  registerHook<Name extends HookName>(name: Name, hook: AgentHooks[Name]): void {
    this.#parts.hooks.add(name, hook)
  }

  registerForModel<Input, Output>(tool: AgentTool<Input, Output>): void {
    addTool(this.#parts.modelTools, tool)
  }

  registerForExecution<Input, Output>(tool: AgentTool<Input, Output>): void {
    addTool(this.#parts.executableTools, tool)
  }

  unregisterTool(name: string): void {
    const { modelTools, executableTools } = this.#parts
    modelTools.delete(name)
    executableTools.delete(name)
  }

  async executeTool(call: ToolCall, options: { readonly signal?: AbortSignal } = {}): Promise<ToolResponse> {
    const { signal } = knownOptions(options, { signal: true }, 'executeTool()')
    const { byName, ...caller } = this.#parts.caller
    return callTool(byName.get(call.name), call, {
      ...{ ...caller, messages: [], onOutput: () => {} },
      signal: signal ?? new AbortController().signal,
    })
  }

  get chatMessages(): ReadonlyMap<Agent, readonly Message[]> {
    return this.#parts.conversations.messages()
  }

  lastMessage(partner?: Agent): Message | undefined {
    return this.#parts.conversations.lastMessage(this, partner)
  }

  clearHistory(partner?: Agent, options: { readonly preserve?: number } = {}): void {
    const { preserve = 0 } = knownOptions(options, { preserve: true }, 'clearHistory()')
    this.#parts.conversations.clear(partner, preserve)
  }

  maxConsecutiveAutoReply(partner?: Agent): number {
    return this.#parts.conversations.maxConsecutiveAutoReply(partner)
  }

  updateMaxConsecutiveAutoReply(count: number, partner?: Agent): void {
    this.#parts.conversations.setMaxConsecutiveAutoReply(count, partner)
  }

  resetConsecutiveAutoReplyCounter(partner?: Agent): void {
    this.#parts.conversations.resetAutoReplies(partner)
  }

  stopReplyAtReceive(partner?: Agent): void {
    this.#parts.conversations.setRepliesAtReceive(false, partner)
  }

  reset(): void {
    const { conversations, replies, usage, rememberedApprovals } = this.#parts
    rememberedApprovals.clear()
    conversations.clear()
    conversations.resetAutoReplies()
    conversations.setRepliesAtReceive(false)
    replies.reset()
    usage.clear()
  }

  toConfig(options?: ToConfigOptions): ComponentConfig {
    return agentConfig(this.#parts, options)
  }

  async stop(): Promise<void> {
    const { codeExecution } = this.#parts
    if (codeExecution?.isOwn === true) await codeExecution.executor.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #with(recipient: Agent): ConversationPair {
    return { sender: this.#parts, recipient: partsOf(recipient) }
  }
}
