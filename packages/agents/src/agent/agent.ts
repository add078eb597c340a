import type { CodeExecutor, ComponentConfig, RememberedApprovals, ToConfigOptions } from '@fenced/core'
import type { ChatResult } from '../event.ts'
import type { Message, MessageDraft, MessageInput } from '../message/message.ts'
import type { ToolCall, ToolResponse } from '../message/tool-parts.ts'
import type { AgentTool } from '../tool/agent-tool.ts'
import type { UsageSummary } from '../usage.ts'
import type { Chat, ReplyChat } from './chat-context.ts'

// What an agent of the 0.2 family can do, and what the functions get that users give it. These types name each other, so they
// are one file: everything else in `agent`, `chat` and `reply` imports it, and it imports nothing of them but what they run in.

/** What everything that takes part in a conversation knows of a `ConversableAgent`, which is one. */
export interface Agent extends AsyncDisposable {
  readonly name: string
  /** Its description for other agents. */
  description: string
  readonly systemMessage: string
  updateSystemMessage(systemMessage: string): void
  /** What runs its code; `undefined` when nothing does. */
  readonly codeExecutor: CodeExecutor | undefined
  /** What its models have used in all its conversations. */
  readonly usage: UsageSummary
  /** Remembered answers to questions about its code. List them, or revoke them one by one. */
  readonly rememberedApprovals: RememberedApprovals
  /** Begins a conversation: await it for the result, iterate it for the events. */
  initiateChat(recipient: Agent, options?: InitiateChatOptions): Chat<ChatResult>
  /** Holds several conversations; this agent begins those that name no other sender. */
  initiateChats(queue: readonly ChatQueueEntry[], options?: InitiateChatsOptions): Chat<ChatResult[]>
  /**
   * Says something outside of `initiateChat`. It is answered where that is asked for or the recipient does so anyway,
   * and so is the answer. It rejects with a FencedError `CHAT_IN_PROGRESS` while the two are in a conversation.
   */
  send(message: MessageInput, recipient: Agent, options?: SendOptions): Chat<void>
  /**
   * Replies to a message: await the reply (`null` for no reply), or iterate the events. The agent stores no part of it, and no
   * counter of a conversation changes. Rejects with the reason of its signal.
   */
  generateReply(options: GenerateReplyOptions): Chat<Message | null>
  /** Adds a reply function, before the existing ones unless `position` says otherwise. */
  registerReply(trigger: ReplyTrigger, reply: ReplyFunction, options?: RegisterReplyOptions): void
  /** @throws FencedError `UNKNOWN_REPLY_FUNCTION`. */
  replaceReplyFunction(old: ReplyFunction, reply: ReplyFunction): void
  /**
   * Lets this agent hold conversations with others before it replies to those that the trigger means. The summary of
   * the last one is its reply.
   */
  registerNestedChats(
    nested: readonly NestedChat[],
    options: { readonly trigger: ReplyTrigger; readonly position?: number },
  ): void
  /** @throws FencedError `INVALID_HOOK`. */
  registerHook<Name extends HookName>(name: Name, hook: AgentHooks[Name]): void
  /** Offers a tool to this agent's model, which its partner calls. @throws FencedError `INVALID_TOOL`. */
  registerForModel<Input, Output>(tool: AgentTool<Input, Output>): void
  /** Lets this agent call a tool that its partner's model asks for. @throws FencedError `INVALID_TOOL`. */
  registerForExecution<Input, Output>(tool: AgentTool<Input, Output>): void
  /** Takes a tool away from the model and from those that are called. */
  unregisterTool(name: string): void
  /** Calls a tool of `tools` or `registerForExecution`. What goes wrong is in the response. */
  executeTool(call: ToolCall, options?: { readonly signal?: AbortSignal }): Promise<ToolResponse>
  /** Messages sent and received, by partner, for the latest 100 conversations. */
  readonly chatMessages: ReadonlyMap<Agent, readonly Message[]>
  /** @throws FencedError `UNKNOWN_PARTNER`; `SEVERAL_PARTNERS` when none is named and it has more than one. */
  lastMessage(partner?: Agent): Message | undefined
  /** Forgets what was said, with one partner or with all. @param options - how many of the newest messages stay. */
  clearHistory(partner?: Agent, options?: { readonly preserve?: number }): void
  /** How often in a row it answers a partner without a person. */
  maxConsecutiveAutoReply(partner?: Agent): number
  /** For one partner, or for all, also those that come. @throws FencedError `INVALID_OPTIONS`. */
  updateMaxConsecutiveAutoReply(count: number, partner?: Agent): void
  resetConsecutiveAutoReplyCounter(partner?: Agent): void
  /** From now on what is sent to it is answered only where the sender asks for it. `initiateChat` turns it on again. */
  stopReplyAtReceive(partner?: Agent): void
  /** Forgets all conversations, counters, usage and remembered answers, and resets the configuration of reply functions. */
  reset(): void
  /**
   * Returns the agent as data for `loadComponent`, without its messages. Models are named by their ids. An executor is described
   * in full, even if the caller passed it, and the loaded agent creates its own.
   *
   * @throws FencedError `NOT_CONFIGURABLE` for values that are not data, unless they are in `omit`: functions, a `humanInput`, and
   *   registered `tools`, `hooks` and `replyFunctions`.
   */
  toConfig(options?: ToConfigOptions): ComponentConfig
  /** Stops the executor that the agent created from a name. An executor passed as an object belongs to the caller. */
  stop(): Promise<void>
}

/** Options of {@link Agent.generateReply}. */
export interface GenerateReplyOptions {
  /** What is replied to: messages of the AI SDK, alone or in their envelope. Default: what it and `sender` have said so far. */
  readonly messages?: readonly MessageDraft[] | undefined
  readonly sender?: Agent | undefined
  /** Functions that are not asked. Default none. */
  readonly exclude?: readonly ReplyFunction[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Options of {@link Agent.send}. */
export interface SendOptions {
  /** Whether an answer is asked for. Default: as the recipient does it, see {@link Agent.stopReplyAtReceive}. */
  readonly requestReply?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** Results of earlier conversations, for the first message of the next conversation: texts, or messages. */
export type Carryover = string | readonly MessageInput[]

/** What a function that makes the first message gets. */
export interface FirstMessageContext {
  readonly sender: Agent
  readonly recipient: Agent
  readonly carryover: readonly string[]
  /** See {@link ConversationOptions.context}. */
  readonly context: Readonly<Record<string, unknown>>
}

/** Makes the first message of a conversation. */
export type FirstMessage = (context: FirstMessageContext) => MessageInput | Promise<MessageInput>

/** What one conversation is about. All of it is optional. */
export interface ConversationOptions {
  /** What is said first. Default: a person is asked for it. */
  readonly message?: MessageInput | FirstMessage | undefined
  /** Whether both agents first forget their earlier messages to each other. Default `true`. */
  readonly clearHistory?: boolean | undefined
  /** Maximum number of replies to the initiator; 0 sends no message. Default: until an agent has no reply. */
  readonly maxTurns?: number | undefined
  /** Default `last_msg`. */
  readonly summaryMethod?: SummaryMethod | undefined
  readonly summaryArgs?: SummaryArgs | undefined
  /** Context appended to the first message. Default: none. */
  readonly carryover?: Carryover | undefined
  /** Handed to a function that makes the first message. Default none. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
}

/** Options of `initiateChat`. */
export interface InitiateChatOptions extends ConversationOptions {
  /** Ends the conversation, and a block that it runs. */
  readonly signal?: AbortSignal | undefined
}

/** What a function that summarises gets. */
export interface SummaryContext {
  /** The one who began the conversation. */
  readonly sender: Agent
  readonly recipient: Agent
  /** As the recipient keeps them. */
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}

/**
 * How the summary comes about: the last message without its TERMINATE, in the words of a model (the recipient's, else
 * the sender's), or by a function.
 */
export type SummaryMethod =
  | 'last_msg'
  | 'reflection_with_llm'
  | ((context: SummaryContext) => string | Promise<string>)

/** For `reflection_with_llm`. */
export interface SummaryArgs {
  /** Prompt for the summary. Default: a request for the outcome, without an introduction. */
  readonly summaryPrompt?: string | undefined
  /** The role of that question. Default `user`. */
  readonly summaryRole?: 'user' | 'system' | undefined
}

/** One conversation of a queue. */
export interface ChatQueueEntry extends ConversationOptions {
  /** Who begins it. Needed where the queue does not belong to an agent. */
  readonly sender?: Agent | undefined
  readonly recipient: Agent
  /** Places in the queue, from 0, of conversations whose summaries are not carried over into this one. Default none. */
  readonly finishedChatIndexesToExcludeFromCarryover?: readonly number[] | undefined
  /** A name for `prerequisites`. */
  readonly chatId?: string | number | undefined
  /** With `concurrently`: conversations, by `chatId`, that must have ended before, and whose summaries are carried over. */
  readonly prerequisites?: readonly (string | number)[] | undefined
}

/** Options of `initiateChats`. */
export interface InitiateChatsOptions {
  /** Ends the conversations early. Default: nothing does. */
  readonly signal?: AbortSignal | undefined
  /**
   * Whether conversations run at the same time, each as soon as its `prerequisites` have ended. Default `false`: one
   * after the other, and each gets the summaries of all that were before it.
   */
  readonly concurrently?: boolean | undefined
}

/** What a function that makes the first message of a nested conversation gets. */
export interface NestedMessageContext extends FirstMessageContext {
  /** The outer conversation, as the agent that is to reply keeps it. */
  readonly messages: readonly Message[]
}

/** A conversation that an agent holds before it replies. Its `sender` is the agent itself unless another is named. */
export interface NestedChat extends Omit<ChatQueueEntry, 'message'> {
  /** What is said first. Default for the first conversation: the last message of the outer one. */
  readonly message?:
    | MessageInput
    | ((context: NestedMessageContext) => MessageInput | Promise<MessageInput>)
    | undefined
}

/** What a reply function gets. */
export interface ReplyContext {
  /** The agent that replies. */
  readonly agent: Agent
  /** Messages of the conversation, oldest first, as hooks left them. */
  readonly messages: readonly Message[]
  /** The agent that waits for the reply; `undefined` if unknown. */
  readonly sender: Agent | undefined
  /** What the function was registered with. */
  readonly config: unknown
  readonly chat: ReplyChat
}

/**
 * Result of a reply function: `undefined` for "call the next function", a reply, or `null` to end the conversation. With
 * `endsChat`, the conversation ends after the reply. A `remark`, such as "cut off", appears in the `stopReason` if this reply is
 * the last.
 */
export type ReplyOutcome =
  | undefined
  | {
      readonly reply: MessageInput
      readonly endsChat?: string
      readonly remark?: string
      /** Messages that the agent keeps before the reply and does not send: calls of its own tools, and their results. */
      readonly innerMessages?: readonly Message[]
    }
  | { readonly reply: null; readonly reason?: string }
  /** Calls the next function, and ends the conversation after its reply, for this reason. */
  | { readonly endsChat: string }

/** One way to reply. Functions are asked one after the other until one has a reply. */
export type ReplyFunction = (context: ReplyContext) => ReplyOutcome | Promise<ReplyOutcome>

/**
 * Whom a reply function answers: agents of a class, the agent of that name, this agent, those that a function accepts,
 * `null` when the sender is not known, or any of a list.
 */
export type ReplyTrigger =
  | (abstract new (
      ...args: never[]
    ) => Agent)
  | string
  | Agent
  | ((sender: Agent | undefined) => boolean)
  | null
  | readonly ReplyTrigger[]

/** Options of `registerReply`. */
export interface RegisterReplyOptions {
  /** Position among the existing functions. Default 0: before all of them. */
  readonly position?: number
  /** Handed to the function with every call; a plain object is copied. Default `undefined`. */
  readonly config?: unknown
  /** Returns the configuration after `reset`. Default: the registered one. */
  readonly resetConfig?: (config: unknown) => unknown
  /** Whether all other functions go. Default `false`. */
  readonly removeOtherReplyFunctions?: boolean
}

/** What can be hooked into, with what each hook gets and gives back. None of them changes what is kept as history. */
export interface AgentHooks {
  /** Every message before it is sent; what comes back is sent instead. */
  processMessageBeforeSend: (
    message: Message,
    context: { readonly sender: Agent; readonly recipient: Agent },
  ) => MessageInput | Promise<MessageInput>
  /** The text of the last message, before a reply to it is made; not for `exit`, empty texts, calls of tools and their answers. */
  processLastReceivedMessage: (content: string) => string | Promise<string>
  /** All messages, before a reply to them is made; called after `processLastReceivedMessage`. */
  processAllMessagesBeforeReply: (
    messages: readonly Message[],
  ) => readonly MessageDraft[] | Promise<readonly MessageDraft[]>
}

/** The name of a hook. */
export type HookName = keyof AgentHooks
