import type { ChatQueueEntry, NestedChat, ReplyContext, ReplyFunction } from '../agent/agent.ts'
import { textOf } from '../message/message.ts'
import type { ChatContext } from './chat-context.ts'
import { oneAfterTheOther } from './initiate-chats.ts'

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
