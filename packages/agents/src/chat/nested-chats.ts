import { type Message, type MessageInput, textOf } from '../message/message.ts'
import type { ReplyContext, ReplyFunction } from '../reply/reply-function.ts'
import type { ChatContext } from './chat-context.ts'
import type { FirstMessageContext } from './initiate-chat.ts'
import { type ChatQueueEntry, oneAfterTheOther } from './initiate-chats.ts'

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

/** A reply function that holds conversations with others first; the summary of the last one is the reply. */
export function nestedChatsReply(nested: readonly NestedChat[]): ReplyFunction {
  return async (context) => {
    const queue = queueFor(nested, context)
    if (queue.length === 0) return undefined
    const results = await oneAfterTheOther(queue, context.chat as ChatContext)
    return { reply: results.at(-1)?.summary ?? '' }
  }
}

/** A later conversation without a message is left out: nobody could say what it is to begin with. */
function queueFor(nested: readonly NestedChat[], { agent, messages }: ReplyContext): ChatQueueEntry[] {
  const last = messages.at(-1)
  return nested.flatMap(({ message, ...entry }, index) => {
    const first = message ?? (index === 0 && last !== undefined ? textOf(last) : undefined)
    if (first === undefined || first === '') return []
    return {
      ...entry,
      sender: entry.sender ?? agent,
      message: typeof first === 'function' ? (context) => first({ ...context, messages }) : first,
    }
  })
}
