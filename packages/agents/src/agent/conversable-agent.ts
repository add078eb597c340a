import type { CodeExecutor, ComponentConfig, RememberedApprovals, ToConfigOptions } from '@fenced/core'
import { exchange } from '../chat/exchange.ts'
import { claimPair, converse, type InitiateChatOptions } from '../chat/initiate-chat.ts'
import { type ChatQueueEntry, type InitiateChatsOptions, initiateChats } from '../chat/initiate-chats.ts'
import { type NestedChat, nestedChatsReply } from '../chat/nested-chats.ts'
import { type Chat, runChat } from '../chat/run-chat.ts'
import type { ChatResult } from '../event.ts'
import { enveloped, type Message, type MessageDraft, type MessageInput } from '../message/message.ts'
import type { ToolCall, ToolResponse } from '../message/tool-parts.ts'
import type { UsageSummary } from '../model/usage.ts'
import { checkTerminationAndHumanReply } from '../reply/check-termination-and-human-reply.ts'
import { generateCodeExecutionReply } from '../reply/generate-code-execution-reply.ts'
import { generateModelReply } from '../reply/generate-model-reply.ts'
import { generateToolCallsReply } from '../reply/generate-tool-calls-reply.ts'
import { produceReply } from '../reply/produce-reply.ts'
import type { ReplyFunction, ReplyTrigger } from '../reply/reply-function.ts'
import type { RegisterReplyOptions } from '../reply/reply-functions.ts'
import { checkTrigger } from '../reply/reply-functions.ts'
import type { AgentTool } from '../tool/agent-tool.ts'
import { addTool, removeTool } from '../tool/agent-tools.ts'
import { callTool } from '../tool/call-tool.ts'
import { agentConfig } from './agent-config.ts'
import { AgentInternals, internalsOf, keepInternals } from './agent-internals.ts'
import { type ConversableAgentOptions, readAgentOptions } from './agent-options.ts'
import type { AgentHooks, HookName } from './hooks.ts'

/** Options of {@link ConversableAgent.generateReply}. */
export interface GenerateReplyOptions {
  /** What is replied to: messages of the AI SDK, alone or in their envelope. Default: what it and `sender` have said so far. */
  readonly messages?: readonly MessageDraft[] | undefined
  readonly sender?: ConversableAgent | undefined
  /** Functions that are not asked. Default none. */
  readonly exclude?: readonly ReplyFunction[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Options of {@link ConversableAgent.send}. */
export interface SendOptions {
  /** Whether an answer is asked for. Default: as the recipient does it, see {@link ConversableAgent.stopReplyAtReceive}. */
  readonly requestReply?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Somebody who takes part in conversations: a model, a person, an executor of code, a caller of tools, or several of
 * these in one. To a message it replies with the first of these that has a reply: the end or a person, answers to tool
 * calls, the result of code, the model.
 *
 * It can be in conversations with many partners at the same time, and in one with each of them.
 *
 * @throws FencedError `INVALID_OPTIONS`; `UNKNOWN_EXECUTOR` for the name of an executor that nobody has registered.
 */
export class ConversableAgent implements AsyncDisposable {
  /** The name that it is loaded by. A class of yours that is to be loaded has one of its own. */
  static readonly provider: string = 'ConversableAgent'

  readonly name: string
  /** Its description for other agents. */
  description: string

  constructor(options: ConversableAgentOptions) {
    const settings = readAgentOptions(options, new.target.name)
    this.name = settings.name
    this.description = settings.description ?? settings.systemMessage
    const state = new AgentInternals(settings, options)
    keepInternals(this, state)
    // The last one that is added is asked first.
    for (const reply of [
      generateModelReply,
      generateCodeExecutionReply,
      generateToolCallsReply,
      checkTerminationAndHumanReply,
    ]) {
      state.replies.add(anybody, reply)
    }
  }

  get systemMessage(): string {
    return internalsOf(this).systemMessage
  }

  updateSystemMessage(systemMessage: string): void {
    internalsOf(this).systemMessage = systemMessage
  }

  /** What runs its code; `undefined` when nothing does. */
  get codeExecutor(): CodeExecutor | undefined {
    return internalsOf(this).codeExecution?.executor
  }

  /** What its models have used in all its conversations. */
  get usage(): UsageSummary {
    return internalsOf(this).usage.summary()
  }

  /** The answers to questions about its code that hold on: they can be listed, and taken back one by one. */
  get rememberedApprovals(): RememberedApprovals {
    return internalsOf(this).rememberedApprovals
  }

  /** Begins a conversation: await it for the result, iterate it for the events. */
  initiateChat(recipient: ConversableAgent, options: InitiateChatOptions = {}): Chat<ChatResult> {
    return runChat({
      of: 'initiateChat',
      options,
      run: (chat, conversation) => converse({ sender: this, recipient }, conversation, { chat }),
    })
  }

  /** Holds several conversations; this agent begins those that name no other sender. */
  initiateChats(queue: readonly ChatQueueEntry[], options?: InitiateChatsOptions): Chat<ChatResult[]> {
    const own = (entry: ChatQueueEntry) => ({ ...entry, sender: entry?.sender ?? this })
    return initiateChats(Array.isArray(queue) ? queue.map(own) : queue, options)
  }

  /**
   * Says something outside of `initiateChat`. It is answered where that is asked for or the recipient does so anyway,
   * and so is the answer. It rejects with a FencedError `CHAT_IN_PROGRESS` while the two are in a conversation.
   */
  send(message: MessageInput, recipient: ConversableAgent, options: SendOptions = {}): Chat<void> {
    return runChat({
      of: 'send',
      options,
      run: async (chat, { requestReply }) => {
        using _pair = claimPair(this, recipient)
        await exchange({ initiator: this, recipient, message, requestReply, chat })
      },
    })
  }

  /**
   * What this agent says to a message: await it for the reply, `null` when it has nothing to say; iterate it for the
   * events. Nothing is kept of it.
   */
  generateReply(options: GenerateReplyOptions): Chat<Message | null> {
    return runChat({
      of: 'generateReply',
      options,
      run: async (chat, { messages, sender, exclude }) => {
        const heard = sender === undefined ? [] : internalsOf(this).conversations.with(sender).messages
        const given = messages?.map(enveloped) ?? heard
        return (await produceReply(this, { messages: given, sender, exclude, chat })).message
      },
    })
  }

  /** Adds a way to reply. It is asked before those that there are, unless its position says otherwise. */
  registerReply(trigger: ReplyTrigger, reply: ReplyFunction, options?: RegisterReplyOptions): void {
    checkTrigger(trigger)
    internalsOf(this).replies.add(trigger, reply, options)
  }

  /** @throws FencedError `UNKNOWN_REPLY_FUNCTION`. */
  replaceReplyFunction(old: ReplyFunction, reply: ReplyFunction): void {
    internalsOf(this).replies.replace(old, reply, this)
  }

  /**
   * Lets this agent hold conversations with others before it replies to those that the trigger means. The summary of
   * the last one is its reply.
   */
  registerNestedChats(
    nested: readonly NestedChat[],
    { trigger, position = 1 }: { readonly trigger: ReplyTrigger; readonly position?: number },
  ): void {
    this.registerReply(trigger, nestedChatsReply(nested), { position })
  }

  /** @throws FencedError `INVALID_HOOK`. */
  registerHook<Name extends HookName>(name: Name, hook: AgentHooks[Name]): void {
    internalsOf(this).hooks.add(name, hook)
  }

  /** Offers a tool to this agent's model, which its partner calls. @throws FencedError `INVALID_TOOL`. */
  registerForModel<Input, Output>(tool: AgentTool<Input, Output>): void {
    addTool(internalsOf(this).declaredTools, tool)
  }

  /** Lets this agent call a tool that its partner's model asks for. @throws FencedError `INVALID_TOOL`. */
  registerForExecution<Input, Output>(tool: AgentTool<Input, Output>): void {
    addTool(internalsOf(this).callableTools, tool)
  }

  /** Takes a tool away from the model and from those that are called. */
  unregisterTool(name: string): void {
    removeTool(internalsOf(this), name)
  }

  /** Calls a tool of `tools` or {@link registerForExecution}. What goes wrong is in the response. */
  executeTool(call: ToolCall, { signal }: { readonly signal?: AbortSignal } = {}): Promise<ToolResponse> {
    const { callableTools, approveTool, settings } = internalsOf(this)
    return callTool(callableTools.get(call.name), call, {
      messages: [],
      signal: signal ?? new AbortController().signal,
      onOutput: () => {},
      approveTool,
      sandbox: settings.sandbox,
    })
  }

  /** What it has said and heard, by partner. */
  get chatMessages(): ReadonlyMap<ConversableAgent, readonly Message[]> {
    return internalsOf(this).conversations.messages()
  }

  /** @throws FencedError `UNKNOWN_PARTNER`; `SEVERAL_PARTNERS` when none is named and it has more than one. */
  lastMessage(partner?: ConversableAgent): Message | undefined {
    return internalsOf(this).conversations.lastMessage(this, partner)
  }

  /** Forgets what was said, with one partner or with all. @param options - how many of the newest messages stay. */
  clearHistory(partner?: ConversableAgent, { preserve = 0 }: { readonly preserve?: number } = {}): void {
    internalsOf(this).conversations.clear(partner, preserve)
  }

  /** How often in a row it answers a partner without a person. */
  maxConsecutiveAutoReply(partner?: ConversableAgent): number {
    return internalsOf(this).conversations.maxConsecutiveAutoReply(partner)
  }

  /** For one partner, or for all, also those that come. @throws FencedError `INVALID_OPTIONS`. */
  updateMaxConsecutiveAutoReply(count: number, partner?: ConversableAgent): void {
    internalsOf(this).conversations.setMaxConsecutiveAutoReply(count, partner)
  }

  resetConsecutiveAutoReplyCounter(partner?: ConversableAgent): void {
    internalsOf(this).conversations.resetAutoReplies(partner)
  }

  /** From now on what is sent to it is answered only where the sender asks for it. `initiateChat` turns it on again. */
  stopReplyAtReceive(partner?: ConversableAgent): void {
    internalsOf(this).conversations.setRepliesAtReceive(false, partner)
  }

  /** Forgets all conversations, counters, usage and answers that hold on, and gives reply functions their first configuration again. */
  reset(): void {
    const { conversations, replies, usage, rememberedApprovals } = internalsOf(this)
    rememberedApprovals.clear()
    conversations.clear()
    conversations.resetAutoReplies()
    conversations.setRepliesAtReceive(false)
    replies.reset()
    usage.clear()
  }

  /**
   * What it is made of, for `loadComponent`: not what was said. Models are named in it by their ids; an executor is
   * described whole, also one that it was given, and the loaded agent has one of its own.
   *
   * @throws FencedError `NOT_CONFIGURABLE` for what is no data, unless it is in `omit`: functions, a `humanInput`, and
   *   what was registered, as `tools`, `hooks` and `replyFunctions`.
   */
  toConfig(options?: ToConfigOptions): ComponentConfig {
    return agentConfig(this, options)
  }

  /** Stops the executor that it has made from a name. One that it was given is its owner's. */
  async stop(): Promise<void> {
    const { codeExecution } = internalsOf(this)
    if (codeExecution?.isOwn === true) await codeExecution.executor.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

const anybody = (): boolean => true
