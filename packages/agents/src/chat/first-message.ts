import type { Carryover, ConversationOptions } from '../agent/agent.ts'
import type { ConversationPair } from '../agent/agent-parts.ts'
import type { ChatContext } from '../agent/chat-context.ts'
import { humanInputRequest } from '../human-input/human-input.ts'
import { hasMadeText } from '../message/made-parts.ts'
import {
  type Message,
  type MessageInput,
  type MessageOrigin,
  originFor,
  textIn,
  withAppendedOutput,
  withAppendedText,
} from '../message/message.ts'
import { fromFunction, toSent } from '../message/sent-and-received.ts'
import { unsuspended } from '../running/questions.ts'

/** The message that begins a conversation, with what is carried over; `undefined` if the person ends the conversation instead. */
export async function firstMessage(
  { sender, recipient }: ConversationPair,
  { message, carryover, context = {} }: ConversationOptions,
  chat: ChatContext,
): Promise<MessageInput | undefined> {
  const items = carriedOver(carryover)
  if (typeof message === 'function') {
    // It has seen what is carried over, and has made use of it or not.
    const texts = items.map(({ content }) => content)
    const outputs = items.filter(({ origin }) => origin === 'program').map(({ content }) => content)
    const pair = { sender: sender.agent, recipient: recipient.agent }
    const given = await message({ ...pair, carryover: texts, context })
    return fromFunction(given, sender.name, outputs)
  }
  const isTyped = message === undefined
  const said = isTyped ? await askForMessage({ sender, recipient }, chat) : message
  return isTyped && said === 'exit' ? undefined : withCarryover(toSent(said, sender.name), items)
}

function askForMessage({ sender, recipient }: ConversationPair, chat: ChatContext): Promise<string> {
  const agents = { agent: sender.name, partner: recipient.name }
  const request = humanInputRequest({ kind: 'first-message', ...agents, prompt: '>' })
  const where = { agent: sender.name, what: 'the first message' }
  return unsuspended(where, () => chat.ask(request, sender.humanInput))
}

/** A text from an earlier conversation, with its origin. */
export interface CarriedOver {
  readonly content: string
  readonly origin: MessageOrigin
}

export function carriedOver(carryover: Carryover | undefined): readonly CarriedOver[] {
  if (carryover === undefined || carryover === '') return []
  const items = typeof carryover === 'string' ? [carryover] : carryover
  return items.map((item) => {
    if (typeof item === 'string') return { content: item, origin: 'person' }
    const origin = hasMadeText(item) ? 'program' : (item.origin ?? originFor(item.role))
    return { content: textIn(item.content), origin }
  })
}

/** A first message followed by the carryover, in AutoGen's form. Output of programs in it stays data. */
function withCarryover(message: Message, items: readonly CarriedOver[]): Message {
  return items.reduce((all, { content, origin }, index) => {
    const text = `${index === 0 ? '\nContext: \n' : '\n'}${content}`
    return origin === 'program' ? withAppendedOutput(all, text) : withAppendedText(all, text)
  }, message)
}
