import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { traced } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { ConversationOptions } from '../agent/agent.ts'
import type { AgentParts, ConversationPair } from '../agent/agent-parts.ts'
import type { ChatContext } from '../agent/chat-context.ts'
import type { Conversation } from '../agent/conversations.ts'
import type { ChatResult } from '../event.ts'
import { withoutTermination } from '../message/written-text.ts'
import { isFunction } from '../model/model-request.ts'
import { hasOtherReplies } from '../reply/produce-reply.ts'
import { isSuspension } from '../running/questions.ts'
import { checkShared } from '../task/agent-state.ts'
import { earlyEnd } from '../task/run-task.ts'
import { firstMessage } from './first-message.ts'
import { savedChat } from './saved-chat.ts'
import { checkSummary, noSummary, type Summary, type SummaryRequest, summarize } from './summary.ts'
import { beginning, type Position, turnLoop } from './turn-loop.ts'

const conversationSchema = z.strictObject({
  message: z
    .custom(
      (value) => ['string', 'object', 'function'].includes(typeof value),
      'must be a text, a message, or a function that makes one',
    )
    .optional(),
  clearHistory: z.boolean().optional(),
  maxTurns: z.int().min(0).optional(),
  summaryMethod: z
    .custom(
      (value) => value === 'last_msg' || value === 'reflection_with_llm' || isFunction(value),
      'must be "last_msg", "reflection_with_llm" or a function',
    )
    .optional(),
  summaryArgs: z
    .strictObject({
      summaryPrompt: z.string().optional(),
      summaryRole: z.enum(['user', 'system']).optional(),
    })
    .optional(),
  carryover: z
    .union(
      [
        z.string(),
        z.array(
          z.union([z.string(), z.looseObject({ content: z.union([z.string(), z.array(z.unknown())]) })]),
        ),
      ],
      {
        error: 'must be a text, or a list of texts and messages',
      },
    )
    .optional(),
  context: z.record(z.string(), z.unknown()).optional(),
})

/** @throws FencedError `INVALID_OPTIONS`; `AGENT_CANNOT_REPLY` if an agent that must reply has nothing to reply with. */
export function checkConversation(pair: ConversationPair, options: ConversationOptions): void {
  parseOptions(conversationSchema, options, 'initiateChat')
  const { maxTurns = Number.POSITIVE_INFINITY } = options
  if (maxTurns > 0) checkCanReply(pair.recipient)
  if (maxTurns > 1) checkCanReply(pair.sender)
  checkSummary({ ...pair, ...summaryOf(options) })
}

/** Fails early if one agent can only send empty messages: the conversation would run to its limits. */
function checkCanReply(agent: AgentParts): void {
  const { model, codeExecution, executableTools, settings } = agent
  const hasParts = model !== undefined || codeExecution !== undefined || executableTools.size > 0
  const hasWords = settings.humanInputMode !== 'never' || settings.defaultAutoReply !== undefined
  if (hasParts || hasWords || hasOtherReplies(agent)) return
  throw new FencedError({
    code: 'AGENT_CANNOT_REPLY',
    message: `Agent "${agent.name}" has nothing to reply with: no model, no code executor, no tools, no person (humanInputMode is "never") and no defaultAutoReply. Give it one of them, or register a function with registerReply. To send empty messages, set defaultAutoReply to ''.`,
    data: { agent: agent.name },
  })
}

interface ChatPlace {
  readonly chat: ChatContext
  readonly queueIndex?: number
}

/** Holds a conversation whose options were checked. */
export async function runChat(
  pair: ConversationPair,
  options: ConversationOptions,
  place: ChatPlace,
): Promise<ChatResult> {
  const trace = { kind: 'conversation', name: pair.sender.name } as const
  return await traced('fenced:agent-run', trace, () => holdChat(pair, options, place))
}

async function holdChat(
  { sender, recipient }: ConversationPair,
  options: ConversationOptions,
  { chat, queueIndex }: ChatPlace,
): Promise<ChatResult> {
  checkSuspendable({ sender, recipient }, chat)
  using _pair = lockPair({ sender, recipient }, options)
  await chat.emit({
    type: 'chat-start',
    agent: sender.name,
    recipient: recipient.name,
    ...(queueIndex === undefined ? {} : { queueIndex }),
  })
  return await endChat({ sender, recipient }, options, { chat, position: beginning() })
}

/** A conversation that has begun. */
export interface BegunChat {
  readonly chat: ChatContext
  readonly position: Position
  /** Whether it was saved while it waited for answers. @default false */
  readonly isResumed?: boolean
}

/** Holds a conversation to its end, or until a question waits for its answer. */
export async function endChat(
  { sender, recipient }: ConversationPair,
  options: ConversationOptions,
  begun: BegunChat,
): Promise<ChatResult> {
  const { chat, position } = begun
  const end = await runExchange({ sender, recipient }, options, begun)
  await chat.emit({ type: 'termination', agent: recipient.name, reason: end.stopReason })
  const outcome = await summarized(end, { sender, recipient, ...summaryOf(options) }, chat)
  const messages = [...sender.conversations.with(recipient.agent).messages]
  const last = messages.at(-1)
  const result: ChatResult = {
    ...end,
    ...outcome,
    ...(end.status === 'waiting'
      ? savedChat({ sender, recipient }, { maxTurns: options.maxTurns, chat, position })
      : {}),
    text: last === undefined ? '' : withoutTermination(last),
    files: chat.files,
    messages,
    usage: chat.usage.summary(),
    humanInput: chat.answersFor(sender.name),
  }
  await chat.emit({ type: 'chat-end', agent: sender.name, recipient: recipient.name, result })
  return result
}

async function runExchange(
  { sender, recipient }: ConversationPair,
  options: ConversationOptions,
  { chat, position, isResumed = false }: BegunChat,
): Promise<Pick<ChatResult, 'status' | 'stopReason'>> {
  const { maxTurns } = options
  if (maxTurns === 0) return { status: 'done', stopReason: 'No turn was allowed.' }
  const turns = { initiator: sender, recipient, maxTurns, chat, position }
  try {
    chat.signal.throwIfAborted()
    if (isResumed) return { status: 'done', stopReason: await turnLoop(turns) }
    const message = await firstMessage({ sender, recipient }, options, chat)
    if (message === undefined)
      return { status: 'done', stopReason: `The person behind ${sender.name} asked to end it.` }
    return { status: 'done', stopReason: await turnLoop({ ...turns, message }) }
  } catch (error) {
    // The conversation around it cannot wait.
    if (chat.isNested && isSuspension(error)) throw error
    const { status, stopReason = '' } = earlyEnd(error, chat)
    return { status, stopReason }
  }
}

/** @throws FencedError `LEDGER_NOT_SHARED`. */
function checkSuspendable({ sender, recipient }: ConversationPair, { given }: ChatContext): void {
  if (given?.suspends !== true) return
  for (const { name, ledgers } of [sender, recipient]) checkShared(name, ledgers)
}

function summaryOf({ summaryMethod: method = 'last_msg', summaryArgs: args = {} }: ConversationOptions) {
  return { method, args }
}

/** A conversation that is aborted while it is summarised was cancelled as well. */
async function summarized(
  { status }: Pick<ChatResult, 'status'>,
  request: SummaryRequest,
  chat: ChatContext,
): Promise<Pick<ChatResult, 'status'> & Summary> {
  if (status !== 'done') return { status, ...noSummary }
  try {
    return { status, ...(await summarize(request, chat)) }
  } catch (error) {
    if (!chat.signal.aborted) throw error
    return { status: 'cancelled', ...noSummary }
  }
}

/**
 * Keeps two agents from another conversation with each other until it is disposed.
 *
 * @throws FencedError `CHAT_IN_PROGRESS`.
 */
export function claimPair({ sender, recipient }: ConversationPair): Disposable {
  const both = conversationsOf({ sender, recipient })
  if (both.some(({ isBusy }) => isBusy)) throw inProgress({ sender, recipient })
  for (const conversation of both) conversation.isBusy = true
  return {
    [Symbol.dispose]: () => {
      for (const conversation of both) conversation.isBusy = false
    },
  }
}

function conversationsOf({ sender, recipient }: ConversationPair): readonly Conversation[] {
  return [sender.conversations.with(recipient.agent), recipient.conversations.with(sender.agent)]
}

/** Prepares two agents for a conversation with each other. */
function lockPair(pair: ConversationPair, { clearHistory = true }: ConversationOptions): Disposable {
  const claim = claimPair(pair)
  for (const conversation of conversationsOf(pair)) {
    conversation.repliesAtReceive = true
    conversation.autoReplies = 0
    conversation.dataMessages = 0
    conversation.repetitions.clear()
    if (clearHistory) conversation.clear()
  }
  return claim
}

function inProgress({ sender, recipient }: ConversationPair): FencedError {
  return new FencedError({
    code: 'CHAT_IN_PROGRESS',
    message: `Agents "${sender.name}" and "${recipient.name}" are already in a conversation. Wait for it to end, or use another agent: an agent can have many conversations at once, but only one with the same partner.`,
    data: { agent: sender.name, partner: recipient.name },
  })
}
