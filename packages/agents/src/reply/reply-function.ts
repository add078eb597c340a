import type { ConversableAgent } from '../agent/conversable-agent.ts'
import type { ReplyChat } from '../chat/chat-context.ts'
import type { Message, MessageInput } from '../message/message.ts'

/** What a reply function gets. */
export interface ReplyContext {
  /** The one who is to reply. */
  readonly agent: ConversableAgent
  /** What it has heard and said, the newest last, as hooks left it. */
  readonly messages: readonly Message[]
  /** Who waits for the reply; `undefined` when nobody is known. */
  readonly sender: ConversableAgent | undefined
  /** What the function was registered with. */
  readonly config: unknown
  readonly chat: ReplyChat
}

/**
 * What a reply function gives back: `undefined` to leave it to the next function, a reply, or `null` as the reply to end
 * the conversation. With `endsChat` the conversation ends after the reply was said. A `remark` stands in the `stopReason`
 * where this reply is the last one: that it is empty, or cut off.
 */
export type ReplyOutcome =
  | undefined
  | {
      readonly reply: MessageInput
      readonly endsChat?: string
      readonly remark?: string
      /** What the agent keeps before the reply, and the other one does not hear: calls of its own tools, and the answers. */
      readonly innerMessages?: readonly Message[]
    }
  | { readonly reply: null; readonly reason?: string }
  /** Leaves it to the next function, and ends the conversation after whatever is replied, for this reason. */
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
    ) => ConversableAgent)
  | string
  | ConversableAgent
  | ((sender: ConversableAgent | undefined) => boolean)
  | null
  | readonly ReplyTrigger[]
