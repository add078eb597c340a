import { traced } from '@fenced/core/internal'
import type { AgentParts } from '../agent/agent-parts.ts'
import type { ChatContext } from '../agent/chat-context.ts'
import { isEmpty, type Message, type MessageInput } from '../message/message.ts'
import { toReceived, toSent } from '../message/sent-and-received.ts'
import { toolCallsOf } from '../message/tool-parts.ts'
import { produceReply } from '../reply/produce-reply.ts'
import { takeTurns } from '../running/run-with-events.ts'

/** Where a conversation is, as plain data. */
export interface Position {
  /** Whether the initiator replies next. */
  isInitiatorNext: boolean
  /** How many messages of the initiator were answered, this one included. */
  turns: number
  /** What the reason for the end has to say of the last reply. */
  remark?: string | undefined
  /** Whether the last reply was empty, and the agents whose last reply was. */
  isLastEmpty: boolean
  empty: ('initiator' | 'recipient')[]
}

interface TurnLoopOptions {
  readonly initiator: AgentParts
  readonly recipient: AgentParts
  /** The first message. Absent if a conversation continues where a reply was expected. */
  readonly message?: MessageInput
  /** Kept up to date, also if a reply fails. @default the beginning */
  readonly position?: Position
  /** How many messages of the initiator are answered at most. */
  readonly maxTurns?: number | undefined
  /** Whether the first message is to be answered. @default as the recipient does it */
  readonly requestReply?: boolean | undefined
  readonly chat: ChatContext
}

export function beginning(): Position {
  return { isInitiatorNext: false, turns: 1, isLastEmpty: false, empty: [] }
}

/**
 * The order of a conversation: each of two agents answers the other, until one has nothing to say, or nothing but empty texts. Resolves with
 * the reason for the end.
 */
export async function turnLoop(options: TurnLoopOptions): Promise<string> {
  const { initiator, recipient, position = beginning(), requestReply, chat } = options
  const { maxTurns = Number.POSITIVE_INFINITY } = options
  const end = (reason: string) => (position.remark === undefined ? reason : `${reason} ${position.remark}`)
  let message = options.message === undefined ? undefined : toSent(options.message, initiator.name)
  return await takeTurns(chat.signal, async () => {
    const isFirst = position.turns === 1 && !position.isInitiatorNext
    const [speaker, listener] = position.isInitiatorNext ? [recipient, initiator] : [initiator, recipient]
    if (message !== undefined) {
      await deliver(message, { speaker, listener, chat })
      if (position.isInitiatorNext && position.turns++ === maxTurns)
        return end(`The maximum of ${maxTurns} turns is reached.`)
    }
    const { messages, repliesAtReceive } = listener.conversations.with(speaker.agent)
    const isAsked = isFirst ? (requestReply ?? repliesAtReceive) : repliesAtReceive
    if (!isAsked) return end(`${listener.name} does not answer ${speaker.name}.`)
    const { answered } = chat
    const reply = await traced('fenced:agent-turn', { agent: listener.name }, () =>
      produceReply(listener, { messages, sender: speaker, chat }),
    )
    chat.signal.throwIfAborted()
    if (reply.message === null) return end(reply.endsChat)
    messages.push(...reply.innerMessages)
    message = reply.message
    position.remark = reply.remark
    // A person who is prompted at each turn ends the conversation instead.
    const silent = silenceAfter(message, position, { speaker: listener, isPerson: chat.answered > answered })
    if (silent !== undefined) return end(silent)
    position.isInitiatorNext = !position.isInitiatorNext
    if (reply.endsChat === undefined) return undefined
    await deliver(message, { speaker: listener, listener: speaker, chat })
    return end(reply.endsChat)
  })
}

/**
 * Why the conversation ends with this reply, which then is not said any more: two agents would exchange empty replies, or thanks for them,
 * until their limits.
 */
function silenceAfter(
  message: Message,
  position: Position,
  { speaker, isPerson }: { readonly speaker: AgentParts; readonly isPerson: boolean },
): string | undefined {
  const role = position.isInitiatorNext ? 'initiator' : 'recipient'
  const isOfTools = message.role === 'tool' || toolCallsOf(message).length > 0
  if (isOfTools || isPerson || !isEmpty(message)) {
    position.isLastEmpty = false
    position.empty = position.empty.filter((each) => each !== role)
    return undefined
  }
  if (position.empty.includes(role)) return `${speaker.name} replied with an empty message twice in a row.`
  if (position.isLastEmpty) return 'Both replied with an empty message.'
  position.isLastEmpty = true
  position.empty.push(role)
  return undefined
}

interface Delivery {
  readonly speaker: AgentParts
  readonly listener: AgentParts
  readonly chat: ChatContext
}

/** Hands a message over, unless the conversation was aborted: both keep it, each from its own point of view. */
async function deliver(message: Message, { speaker, listener, chat }: Delivery): Promise<void> {
  const between = { sender: speaker.agent, recipient: listener.agent }
  const sent = await speaker.hooks.beforeSend(message, between)
  chat.signal.throwIfAborted()
  speaker.conversations.with(listener.agent).messages.push(sent)
  listener.conversations.with(speaker.agent).messages.push(toReceived(sent))
  await chat.emit({ type: 'message', agent: speaker.name, recipient: listener.name, message: sent })
  chat.signal.throwIfAborted()
}
