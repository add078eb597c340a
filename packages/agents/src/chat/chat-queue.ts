import { FencedError } from '@fenced/core'
import type {
  ChatQueueEntry,
  ConversationOptions,
  InitiateChatsOptions,
  NestedChat,
  ReplyFunction,
} from '../agent/agent.ts'
import { partsOf } from '../agent/agent-parts.ts'
import { type Chat, type ChatContext, startChat } from '../agent/chat-context.ts'
import type { ChatResult } from '../event.ts'
import { type Message, textOf } from '../message/message.ts'
import { fromFunction } from '../message/sent-and-received.ts'
import { originOf, outputsIn } from '../message/written-text.ts'
import { ownReply, type Turn } from '../reply/own-reply.ts'
import { unsuspended } from '../running/given-answers.ts'
import {
  type CarriedOver,
  type ConversationPair,
  carriedOver,
  checkConversation,
  runChat,
} from './initiate-chat.ts'

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
    run: (chat, { concurrently = false }) =>
      concurrently ? runConcurrently(queue, chat) : runSequentially(queue, chat),
  })
}

async function runSequentially(queue: readonly ChatQueueEntry[], chat: ChatContext): Promise<ChatResult[]> {
  checkQueue(queue)
  const results: ChatResult[] = []
  for (const [index, entry] of queue.entries()) {
    const excluded = entry.finishedChatIndexesToExcludeFromCarryover ?? []
    const summaries = results.filter((_, finished) => !excluded.includes(finished)).map(carriedSummary)
    results.push(await runEntry(entry, { index, summaries, chat }))
    if (chat.signal.aborted) break
  }
  return results
}

async function runConcurrently(queue: readonly ChatQueueEntry[], chat: ChatContext): Promise<ChatResult[]> {
  checkQueue(queue)
  const order = inDependencyOrder(queue)
  const failed = new AbortController()
  const inner = chat.nested(AbortSignal.any([chat.signal, failed.signal]))
  const running = new Map<number, Promise<ChatResult>>()
  let failure: { readonly error: unknown } | undefined
  for (const { entry, index, prerequisites } of order) {
    const before = Promise.all(prerequisites.map((other) => running.get(other) as Promise<ChatResult>))
    const result = before.then((results) =>
      runEntry(entry, { index, summaries: results.map(carriedSummary), chat: inner }),
    )
    result.catch((error: unknown) => {
      failure ??= { error }
      failed.abort()
    })
    running.set(index, result)
  }
  const inOrder = queue.map((_, index) => running.get(index) as Promise<ChatResult>)
  await Promise.allSettled(inOrder)
  // The first one in time: others may have failed because of it.
  if (failure !== undefined) throw failure.error
  return await Promise.all(inOrder)
}

/** Finds what is wrong before the first word is said. */
function checkQueue(queue: readonly ChatQueueEntry[]): void {
  if (!Array.isArray(queue)) throw invalidQueue('it must be a list of conversations.', { option: 'queue' })
  for (const [index, entry] of queue.entries()) {
    const { pair, options } = splitEntry(entry, index)
    checkConversation(pair, options)
  }
}

interface Holding {
  readonly index: number
  readonly summaries: readonly CarriedOver[]
  readonly chat: ChatContext
}

function runEntry(entry: ChatQueueEntry, { index, summaries, chat }: Holding): Promise<ChatResult> {
  const { pair, options } = splitEntry(entry, index)
  const carryover = [...carriedOver(options.carryover), ...summaries]
  return runChat(pair, { ...options, carryover }, { chat: chat.nested(), queueIndex: index })
}

function splitEntry(
  entry: ChatQueueEntry,
  index: number,
): { readonly pair: ConversationPair; readonly options: ConversationOptions } {
  const {
    sender,
    recipient,
    finishedChatIndexesToExcludeFromCarryover: _excluded,
    chatId: _chatId,
    prerequisites: _prerequisites,
    ...options
  } = entry ?? noRecipient(index)
  const pair = {
    sender: partsOf(sender ?? noSender(index)),
    recipient: partsOf(recipient ?? noRecipient(index)),
  }
  return { pair, options }
}

function noSender(index: number): never {
  throw invalidQueue(`chat ${index} has no \`sender\`.`, { chat: `${index}`, option: 'sender' })
}

function noRecipient(index: number): never {
  throw invalidQueue(`chat ${index} has no \`recipient\`.`, { chat: `${index}`, option: 'recipient' })
}

interface OrderedEntry {
  readonly entry: ChatQueueEntry
  readonly index: number
  /** Positions in the queue: one entry may occur twice. */
  readonly prerequisites: readonly number[]
}

/**
 * The entries of a queue, each after its prerequisites.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
function inDependencyOrder(queue: readonly ChatQueueEntry[]): readonly OrderedEntry[] {
  const all = withPrerequisites(queue)
  const ordered = new Set<OrderedEntry>()
  while (ordered.size < all.length) {
    const waiting = all.filter((one) => !ordered.has(one))
    const free = waiting.filter(({ prerequisites }) =>
      prerequisites.every((other) => ordered.has(all[other] as OrderedEntry)),
    )
    if (free.length === 0) {
      const chats = waiting.map(({ entry, index }) => entry.chatId ?? index).join(', ')
      const data = { option: 'prerequisites', chats }
      throw invalidQueue(`the prerequisites of these form a circle: ${chats}.`, data)
    }
    for (const one of free) ordered.add(one)
  }
  return [...ordered]
}

function withPrerequisites(queue: readonly ChatQueueEntry[]): OrderedEntry[] {
  const byId = new Map<string | number, number>()
  for (const [index, entry] of queue.entries()) {
    if (entry.chatId === undefined) continue
    if (byId.has(entry.chatId))
      throw invalidQueue(`two chats have the chatId ${entry.chatId}.`, {
        option: 'chatId',
        chatId: `${entry.chatId}`,
      })
    byId.set(entry.chatId, index)
  }
  return queue.map((entry, index) => ({
    entry,
    index,
    prerequisites: (entry.prerequisites ?? []).map((id) => {
      const other = byId.get(id)
      if (other === undefined)
        throw invalidQueue(`chat ${index} waits for the chatId ${id}, which no chat has.`, {
          option: 'prerequisites',
          chat: `${index}`,
          chatId: `${id}`,
        })
      return other
    }),
  }))
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
    const results = await unsuspended(where, () => runSequentially(queue, turn.chat))
    return { reply: results.slice(-1).map(carriedSummary)[0] ?? '' }
  })
}

/** Leaves out a later conversation without a message: it has no first message. */
function queueFor(nested: readonly NestedChat[], { agent, messages }: Turn): ChatQueueEntry[] {
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
