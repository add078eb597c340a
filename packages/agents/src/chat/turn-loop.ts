import type { AgentParts } from '../agent/agent-parts.ts'
import type { ChatContext } from '../agent/chat-context.ts'
import { type Message, type MessageInput, textOf } from '../message/message.ts'
import { toReceived, toSent } from '../message/sent-and-received.ts'
import { toolCallsOf } from '../message/tool-parts.ts'
import { produceReply } from '../reply/produce-reply.ts'

interface TurnLoopOptions {
  readonly initiator: AgentParts
  readonly recipient: AgentParts
  readonly message: MessageInput
  /** How many messages of the initiator are answered at most. */
  readonly maxTurns?: number | undefined
  /** Whether the first message is to be answered. @default as the recipient does it */
  readonly requestReply?: boolean | undefined
  readonly chat: ChatContext
}

/** Lets two agents speak in turn until one has nothing to say, or nothing but empty texts. Resolves with the reason for the end. */
export async function turnLoop(options: TurnLoopOptions): Promise<string> {
  const { initiator, recipient, maxTurns = Number.POSITIVE_INFINITY, requestReply, chat } = options
  const silence = new Silence()
  let message: Message = toSent(options.message, initiator.name)
  let remark: string | undefined
  const end = (reason: string) => (remark === undefined ? reason : `${reason} ${remark}`)
  let [speaker, listener] = [initiator, recipient]
  for (let turns = 1; ; ) {
    await deliver(message, { speaker, listener, chat })
    if (listener === initiator && turns++ === maxTurns)
      return end(`The maximum of ${maxTurns} turns is reached.`)
    const { messages, repliesAtReceive } = listener.conversations.with(speaker.agent)
    const isAsked =
      turns === 1 && listener === recipient ? (requestReply ?? repliesAtReceive) : repliesAtReceive
    if (!isAsked) return end(`${listener.name} does not answer ${speaker.name}.`)
    const { answered } = chat
    const reply = await produceReply(listener, { messages, sender: speaker, chat })
    chat.signal.throwIfAborted()
    if (reply.message === null) return end(reply.endsChat)
    listener.conversations.with(speaker.agent).messages.push(...reply.innerMessages)
    message = reply.message
    remark = reply.remark
    // A person who is prompted at each turn ends the conversation instead.
    const silent = silence.after(message, { speaker: listener, isPerson: chat.answered > answered })
    if (silent !== undefined) return end(silent)
    ;[speaker, listener] = [listener, speaker]
    if (reply.endsChat !== undefined) {
      await deliver(message, { speaker, listener, chat })
      return end(reply.endsChat)
    }
  }
}

/** Notices when nothing but empty replies come: two agents would exchange them, or thanks for them, until their limits. */
class Silence {
  #isLastEmpty = false
  readonly #empty = new Set<AgentParts>()

  /** Why the conversation ends with this reply, which then is not said any more. */
  after(
    message: Message,
    { speaker, isPerson }: { readonly speaker: AgentParts; readonly isPerson: boolean },
  ): string | undefined {
    const isOfTools = message.role === 'tool' || toolCallsOf(message).length > 0
    const isEmpty = !isOfTools && isEmptyContent(message)
    if (!isEmpty || isPerson) {
      this.#isLastEmpty = false
      this.#empty.delete(speaker)
      return undefined
    }
    if (this.#empty.has(speaker)) return `${speaker.name} replied with an empty message twice in a row.`
    if (this.#isLastEmpty) return 'Both replied with an empty message.'
    this.#isLastEmpty = true
    this.#empty.add(speaker)
    return undefined
  }
}

/** Pictures and files are content, too. */
function isEmptyContent(message: Message): boolean {
  const { content } = message
  const isText =
    typeof content === 'string' || content.every(({ type }) => type === 'text' || type === 'reasoning')
  return isText && textOf(message).trim() === ''
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
