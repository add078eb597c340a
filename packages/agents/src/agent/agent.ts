import type { CodeExecutor, ComponentConfig, RememberedApprovals, ToConfigOptions } from '@fenced/core'
import type { AgentState, ChatResult } from '../event.ts'
import type { Message, MessageDraft, MessageInput } from '../message/message.ts'
import type { ToolCall, ToolResponse } from '../message/tool-parts.ts'
import type { QuestionAnswers, QuestionOptions } from '../running/questions.ts'
import type { AgentTool } from '../tool/agent-tool.ts'
import type { UsageSummary } from '../usage.ts'
import type { Chat, ReplyChat } from './chat-context.ts'

// What an agent of the 0.2 family can do, and what the functions get that users give it. These types name each other, so they
// are one file: everything else in `agent`, `chat` and `reply` imports it, and it imports nothing of them but what they run in.

/** A `ConversableAgent`, as seen by the other participants in a conversation. */
export interface Agent extends AsyncDisposable {
  readonly name: string
  /** The agent's description for other agents. */
  description: string
  readonly systemMessage: string
  updateSystemMessage(systemMessage: string): void
  /** Executor that runs the agent's code; `undefined` if it does not run code. */
  readonly executor: CodeExecutor | undefined
  /** Usage of the agent's models in all its conversations. */
  readonly usage: UsageSummary
  /** Remembered answers to questions about its code. List them, or revoke them one by one. */
  readonly rememberedApprovals: RememberedApprovals
  /** Starts a conversation: await it for the result, or iterate it for the events. */
  initiateChat(recipient: Agent, options?: InitiateChatOptions): Chat<ChatResult>
  /**
   * Continues a conversation that ended with the status `waiting`, in this or another process: its messages and counters are in the state.
   * The agents are created as before, with the same hooks and reply functions. `usage`, `files` and `humanInput` of the result begin with
   * this call. Questions without an answer end it again.
   *
   * Rejects with FencedError `INVALID_STATE`, `UNKNOWN_APPROVAL`, `INVALID_APPROVAL`; `APPROVAL_USED` if another process has used an answer.
   *
   * @param answers - Answers to the state's questions, keyed by id.
   */
  resumeChat(
    recipient: Agent,
    state: AgentState,
    answers: QuestionAnswers,
    options?: ResumeChatOptions,
  ): Chat<ChatResult>
  /** Holds several conversations. This agent starts those that name no other sender. */
  initiateChats(queue: readonly ChatQueueEntry[], options?: InitiateChatsOptions): Chat<ChatResult[]>
  /**
   * Sends a message outside `initiateChat`. The recipient replies if `requestReply` is set, or by default; the same applies to
   * its reply. Rejects with a FencedError `CHAT_IN_PROGRESS` while the two agents are in a conversation.
   */
  send(message: MessageInput, recipient: Agent, options?: SendOptions): Chat<void>
  /**
   * Replies to a message: await the reply (`null` for no reply), or iterate the events. The agent stores none of it, and no
   * conversation counter changes. Rejects with the signal's reason.
   */
  generateReply(options: GenerateReplyOptions): Chat<Message | null>
  /** Adds a reply function before the existing ones, unless `position` says otherwise. */
  registerReply(trigger: ReplyTrigger, reply: ReplyFunction, options?: RegisterReplyOptions): void
  /** @throws FencedError `UNKNOWN_REPLY_FUNCTION`. */
  replaceReplyFunction(old: ReplyFunction, reply: ReplyFunction): void
  /**
   * Makes this agent hold nested conversations before it replies to senders that match the trigger. The summary of the last one
   * becomes its reply.
   */
  registerNestedChats(
    nested: readonly NestedChat[],
    options: { readonly trigger: ReplyTrigger; readonly position?: number },
  ): void
  /** @throws FencedError `INVALID_HOOK`. */
  registerHook<Name extends HookName>(name: Name, hook: AgentHooks[Name]): void
  /** Offers a tool to this agent's model. The partner executes the calls. @throws FencedError `INVALID_TOOL`. */
  registerForModel<Input, Output>(tool: AgentTool<Input, Output>): void
  /** Lets this agent execute a tool that its partner's model calls. @throws FencedError `INVALID_TOOL`. */
  registerForExecution<Input, Output>(tool: AgentTool<Input, Output>): void
  /** Removes a tool, both from the model and from execution. */
  unregisterTool(name: string): void
  /** Executes a tool from `tools` or `registerForExecution`. Errors are reported in the response. */
  executeTool(call: ToolCall, options?: { readonly signal?: AbortSignal }): Promise<ToolResponse>
  /** Messages sent and received, by partner, for the latest 100 conversations. */
  readonly chatMessages: ReadonlyMap<Agent, readonly Message[]>
  /**
   * Returns the last message.
   *
   * @throws FencedError `UNKNOWN_PARTNER`; `SEVERAL_PARTNERS` if no partner is given and there are several.
   */
  lastMessage(partner?: Agent): Message | undefined
  /** Forgets the messages with one partner, or with all. @param options - Number of newest messages to keep. */
  clearHistory(partner?: Agent, options?: { readonly preserve?: number }): void
  /** Returns the maximum number of consecutive replies to a partner without a person. */
  maxConsecutiveAutoReply(partner?: Agent): number
  /** Changes this limit for one partner, or for all current and future partners. @throws FencedError `INVALID_OPTIONS`. */
  updateMaxConsecutiveAutoReply(count: number, partner?: Agent): void
  resetConsecutiveAutoReplyCounter(partner?: Agent): void
  /** Stops replying to messages unless the sender requests a reply. `initiateChat` resets this. */
  stopReplyAtReceive(partner?: Agent): void
  /** Forgets all conversations, counters, usage and remembered answers, and resets the configuration of reply functions. */
  reset(): void
  /**
   * Returns the agent as data for `loadComponent`, without its messages. Models are identified by their ids. An executor is
   * described in full, even if the caller passed it, and the loaded agent creates its own.
   *
   * @throws FencedError `NOT_CONFIGURABLE` for values that are not data, unless they are in `omit`: functions, a `humanInput`,
   *   and registered `tools`, `hooks` and `replyFunctions`.
   */
  toConfig(options?: ToConfigOptions): ComponentConfig
  /** Stops the executor that the agent created from a name. An executor passed as an object belongs to the caller. */
  stop(): Promise<void>
}

/** Options of {@link Agent.generateReply}. */
export interface GenerateReplyOptions {
  /** Messages to reply to: AI SDK messages, with or without an envelope. @default the agent's messages with `sender` so far */
  readonly messages?: readonly MessageDraft[] | undefined
  readonly sender?: Agent | undefined
  /** Reply functions to skip. @default none */
  readonly exclude?: readonly ReplyFunction[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Options of {@link Agent.send}. */
export interface SendOptions {
  /** Whether to request a reply. @default the recipient decides, see {@link Agent.stopReplyAtReceive} */
  readonly requestReply?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** Results of earlier conversations, as texts or messages, for the first message of the next conversation. */
export type Carryover = string | readonly MessageInput[]

/** Context passed to a function that creates the first message. */
export interface FirstMessageContext {
  readonly sender: Agent
  readonly recipient: Agent
  readonly carryover: readonly string[]
  /** See {@link ConversationOptions.context}. */
  readonly context: Readonly<Record<string, unknown>>
}

/** Creates the first message of a conversation. */
type FirstMessage = (context: FirstMessageContext) => MessageInput | Promise<MessageInput>

/** Options for one conversation. All are optional. */
export interface ConversationOptions {
  /** The first message. @default a person enters it */
  readonly message?: MessageInput | FirstMessage | undefined
  /** Whether both agents first forget their earlier messages to each other. @default true */
  readonly clearHistory?: boolean | undefined
  /**
   * Maximum number of replies to the initiator; 0 sends no message.
   *
   * @default the conversation continues until an agent has no reply
   */
  readonly maxTurns?: number | undefined
  /** How to summarize the conversation. @default 'last_msg' */
  readonly summaryMethod?: SummaryMethod | undefined
  readonly summaryArgs?: SummaryArgs | undefined
  /** Results of earlier conversations, appended to the first message. @default none */
  readonly carryover?: Carryover | undefined
  /** Data passed to a function that creates the first message. @default none */
  readonly context?: Readonly<Record<string, unknown>> | undefined
}

/** Options of `initiateChat`. */
export interface InitiateChatOptions extends ConversationOptions, Pick<QuestionOptions, 'onQuestion'> {
  /** Ends the conversation and any running block when aborted. */
  readonly signal?: AbortSignal | undefined
}

/** Options of `resumeChat`. */
export interface ResumeChatOptions
  extends Pick<InitiateChatOptions, 'signal' | 'onQuestion' | 'summaryMethod' | 'summaryArgs'> {}

/** Context passed to a function that creates the summary. */
export interface SummaryContext {
  /** The agent that started the conversation. */
  readonly sender: Agent
  readonly recipient: Agent
  /** The messages as stored by the recipient. */
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}

/**
 * How to create the summary: from the last message without TERMINATE (`last_msg`), with a model (the recipient's, otherwise the
 * sender's), or with a function.
 */
export type SummaryMethod =
  | 'last_msg'
  | 'reflection_with_llm'
  | ((context: SummaryContext) => string | Promise<string>)

/** Options for `reflection_with_llm`. */
export interface SummaryArgs {
  /** Prompt for the summary. @default a request for the outcome, without an introduction */
  readonly summaryPrompt?: string | undefined
  /** Role of the prompt's message. @default 'user' */
  readonly summaryRole?: 'user' | 'system' | undefined
}

/** One conversation in a queue. */
export interface ChatQueueEntry extends ConversationOptions {
  /** The agent that starts the conversation. Required if the queue does not belong to an agent. */
  readonly sender?: Agent | undefined
  readonly recipient: Agent
  /** Positions in the queue, from 0, of conversations whose summaries are not carried over into this one. @default none */
  readonly finishedChatIndexesToExcludeFromCarryover?: readonly number[] | undefined
  /** Id of the conversation, for use in `prerequisites`. */
  readonly chatId?: string | number | undefined
  /**
   * With `concurrently`: `chatId`s of the conversations that must end before this one starts, and whose summaries are carried
   * over.
   */
  readonly prerequisites?: readonly (string | number)[] | undefined
}

/** Options of `initiateChats`. */
export interface InitiateChatsOptions {
  /** Ends the conversations early when aborted. @default none */
  readonly signal?: AbortSignal | undefined
  /**
   * Whether conversations run concurrently, each starting as soon as its `prerequisites` have ended. With `false`, they run one
   * after the other, and each receives the summaries of all earlier ones.
   *
   * @default false
   */
  readonly concurrently?: boolean | undefined
}

/** Context passed to a function that creates the first message of a nested conversation. */
export interface NestedMessageContext extends FirstMessageContext {
  /** Messages of the outer conversation, as stored by the agent that will reply. */
  readonly messages: readonly Message[]
}

/** A conversation that an agent holds before it replies. The agent itself is the `sender` unless another is named. */
export interface NestedChat extends Omit<ChatQueueEntry, 'message'> {
  /** The first message. @default the last message of the outer conversation, for the first nested one */
  readonly message?:
    | MessageInput
    | ((context: NestedMessageContext) => MessageInput | Promise<MessageInput>)
    | undefined
}

/** Context passed to a reply function. */
export interface ReplyContext {
  /** The agent that replies. */
  readonly agent: Agent
  /** Messages of the conversation, oldest first, after processing by hooks. */
  readonly messages: readonly Message[]
  /** The agent that waits for the reply; `undefined` if unknown. */
  readonly sender: Agent | undefined
  /** The `config` that the function was registered with. */
  readonly config: unknown
  readonly chat: ReplyChat
}

/**
 * Result of a reply function: `undefined` to try the next function, a reply, or `null` to end the conversation. With `endsChat`,
 * the conversation ends after the reply. A `remark`, such as "cut off", appears in the `stopReason` if this is the last reply.
 */
export type ReplyOutcome =
  | undefined
  | {
      readonly reply: MessageInput
      readonly endsChat?: string
      readonly remark?: string
      /** Messages that the agent stores before the reply but does not send: its own tool calls and their results. */
      readonly innerMessages?: readonly Message[]
    }
  | { readonly reply: null; readonly reason?: string }
  /** Tries the next function, and ends the conversation after its reply, for this reason. */
  | { readonly endsChat: string }

/** One way to reply. Functions are called in order until one returns a reply. */
export type ReplyFunction = (context: ReplyContext) => ReplyOutcome | Promise<ReplyOutcome>

/**
 * Senders that a reply function answers: agents of a class, an agent by name, a specific agent, agents that a function accepts,
 * `null` for an unknown sender, or any in a list.
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
  /** Position among the existing functions. @default 0, before all of them */
  readonly position?: number
  /** Value passed to the function with every call. A plain object is copied. @default undefined */
  readonly config?: unknown
  /** Returns the configuration to use after `reset`. @default the registered configuration */
  readonly resetConfig?: (config: unknown) => unknown
  /** Whether to remove all other reply functions. @default false */
  readonly removeOtherReplyFunctions?: boolean
}

/** Hooks by name, with what each one receives and returns. Hooks do not change the stored history. */
export interface AgentHooks {
  /** Called for every message before it is sent. The returned message is sent instead. */
  processMessageBeforeSend: (
    message: Message,
    context: { readonly sender: Agent; readonly recipient: Agent },
  ) => MessageInput | Promise<MessageInput>
  /**
   * Called for the text of the last message before the agent replies, except for `exit`, empty text, tool calls and tool results.
   */
  processLastReceivedMessage: (content: string) => string | Promise<string>
  /** Called for all messages before the agent replies, after `processLastReceivedMessage`. */
  processAllMessagesBeforeReply: (
    messages: readonly Message[],
  ) => readonly MessageDraft[] | Promise<readonly MessageDraft[]>
}

/** Name of a hook. */
export type HookName = keyof AgentHooks
