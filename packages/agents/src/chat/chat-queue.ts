import { FencedError } from '@fenced/core'
import type {
  ChatQueueEntry,
  ConversationOptions,
  InitiateChatsOptions,
  NestedChat,
  ReplyFunction,
} from '../agent/agent.ts'
import type { ConversationPair } from '../agent/agent-parts.ts'
import { partsOf } from '../agent/agent-parts.ts'
import { type Chat, type ChatContext, startChat } from '../agent/chat-context.ts'
import type { ChatResult } from '../event.ts'
import { type Message, textOf } from '../message/message.ts'
import { fromFunction } from '../message/sent-and-received.ts'
import { originOf, outputsIn } from '../message/written-text.ts'
import { ownReply, type ReplyTurn } from '../reply/own-reply.ts'
import { unsuspended } from '../running/questions.ts'
import { type CarriedOver, carriedOver } from './first-message.ts'
import { checkConversation, runChat } from './initiate-chat.ts'

/**
 * Runs several conversations, each with the results of earlier ones. The results are in queue order. If one conversation fails,
 * the others are stopped.
 *
 * @throws FencedError `INVALID_OPTIONS` for an entry without a sender, an unknown or duplicate `chatId`, or circular
 *   prerequisites.
 */
export function initiateChats(
  queue: readonly ChatQueueEntry[],
  options: InitiateChatsOptions = {},
): Chat<ChatResult[]> {
  return startChat({
    of: 'initiateChats',
    options,
    names: { concurrently: true },
    run: (chat, { concurrently = false }) => runQueue(queue, chat, concurrently),
  })
}

/** One conversation of a queue. */
interface QueuedChat {
  readonly pair: ConversationPair
  readonly options: ConversationOptions
  /** Positions of the conversations that end before this one begins. */
  readonly after: readonly number[]
  /** Positions of the conversations whose summaries are carried over. */
  readonly from: readonly number[]
}

async function runQueue(
  queue: readonly ChatQueueEntry[],
  chat: ChatContext,
  concurrently: boolean,
): Promise<ChatResult[]> {
  // Finds what is wrong before the first word is said.
  const chats = readQueue(queue, concurrently)
  const failed = new AbortController()
  const inner = concurrently ? chat.nested(AbortSignal.any([chat.signal, failed.signal])) : chat
  const running: Promise<ChatResult | undefined>[] = []
  let failure: { readonly error: unknown } | undefined
  const run = async (index: number, { pair, options, after, from }: QueuedChat) => {
    await Promise.all(after.map(result))
    if (!concurrently && index > 0 && chat.signal.aborted) return undefined
    const results = await Promise.all(from.map(result))
    const summaries = results.flatMap((one) => (one === undefined ? [] : carriedSummary(one)))
    const carryover = [...carriedOver(options.carryover), ...summaries]
    return await runChat(pair, { ...options, carryover }, { chat: inner.nested(), queueIndex: index })
  }
  const result = (index: number): Promise<ChatResult | undefined> => {
    running[index] ??= run(index, chats[index] as QueuedChat).catch((error: unknown) => {
      failure ??= { error }
      failed.abort()
      throw error
    })
    return running[index]
  }
  await Promise.allSettled(chats.map((_, index) => result(index)))
  // The first one in time: others may have failed because of it.
  if (failure !== undefined) throw failure.error
  return (await Promise.all(running)).filter((one) => one !== undefined)
}

function readQueue(queue: readonly ChatQueueEntry[], concurrently: boolean): readonly QueuedChat[] {
  if (!Array.isArray(queue)) throw invalidQueue('it must be a list of conversations.', { option: 'queue' })
  const chats = queue.map((entry: ChatQueueEntry, index): QueuedChat => {
    const {
      sender = noAgent('sender', index),
      recipient = noAgent('recipient', index),
      finishedChatIndexesToExcludeFromCarryover: excluded = [],
      chatId: _chatId,
      prerequisites: _prerequisites,
      ...options
    } = entry ?? noAgent('recipient', index)
    const pair = { sender: partsOf(sender), recipient: partsOf(recipient) }
    checkConversation(pair, options)
    const earlier = [...queue.keys()].slice(0, index)
    return { pair, options, after: earlier, from: earlier.filter((one) => !excluded.includes(one)) }
  })
  if (!concurrently) return chats
  const prerequisites = prerequisitesOf(queue)
  return chats.map((one, index) => {
    const after = prerequisites[index] ?? []
    return { ...one, after, from: after }
  })
}

function noAgent(option: 'sender' | 'recipient', index: number): never {
  throw invalidQueue(`chat ${index} has no \`${option}\`.`, { chat: `${index}`, option })
}

/**
 * The prerequisites of each conversation, by their positions.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
function prerequisitesOf(queue: readonly ChatQueueEntry[]): readonly (readonly number[])[] {
  const byId = new Map<string | number, number>()
  for (const [index, { chatId }] of queue.entries()) {
    if (chatId === undefined) continue
    if (byId.has(chatId))
      throw invalidQueue(`two chats have the chatId ${chatId}.`, { option: 'chatId', chatId: `${chatId}` })
    byId.set(chatId, index)
  }
  const unknown = (index: number, id: string | number): never => {
    const data = { option: 'prerequisites', chat: `${index}`, chatId: `${id}` }
    throw invalidQueue(`chat ${index} waits for the chatId ${id}, which no chat has.`, data)
  }
  const all = queue.map(({ prerequisites = [] }, index) =>
    prerequisites.map((id) => byId.get(id) ?? unknown(index, id)),
  )
  let waiting = [...all.keys()]
  const waits = (index: number) => all[index]?.some((other) => waiting.includes(other)) === true
  while (waiting.some((index) => !waits(index))) waiting = waiting.filter(waits)
  if (waiting.length === 0) return all
  const chats = waiting.map((index) => queue[index]?.chatId ?? index).join(', ')
  const data = { option: 'prerequisites', chats }
  throw invalidQueue(`the prerequisites of these form a circle: ${chats}.`, data)
}

function invalidQueue(problem: string, data: Readonly<Record<string, string>>): FencedError {
  return new FencedError({
    code: 'INVALID_OPTIONS',
    message: `Wrong queue for initiateChats: ${problem}`,
    data,
  })
}

function carriedSummary({ summary: content, summaryOrigin: origin }: ChatResult): CarriedOver {
  return { content, origin }
}

/** The text of the outer conversation's last message, with its origin. */
function asFirst(last: Message): CarriedOver {
  return { content: textOf(last), origin: originOf(last) }
}

/** A reply function that holds conversations with others first; the summary of the last one is the reply. */
export function nestedChatsReply(nested: readonly NestedChat[]): ReplyFunction {
  return ownReply(async (turn) => {
    const queue = queueFor(nested, turn)
    if (queue.length === 0) return undefined
    const where = { agent: turn.agent.name, what: 'a nested conversation' }
    const results = await unsuspended(where, () => runQueue(queue, turn.chat, false))
    return { reply: results.slice(-1).map(carriedSummary)[0] ?? '' }
  })
}

/** Leaves out a later conversation without a message: it has no first message. */
function queueFor(nested: readonly NestedChat[], { agent, messages }: ReplyTurn): ChatQueueEntry[] {
  const last = messages.at(-1)
  return nested.flatMap(({ message, ...entry }, index) => {
    const first = message ?? (index === 0 && last !== undefined && textOf(last) !== '' ? asFirst(last) : '')
    if (first === '') return []
    return {
      ...entry,
      sender: entry.sender ?? agent.agent,
      message:
        typeof first === 'function'
          ? async (context) =>
              fromFunction(await first({ ...context, messages }), context.sender.name, outputsIn(messages))
          : first,
    }
  })
}
